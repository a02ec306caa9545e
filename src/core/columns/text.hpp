// Texts of messages in a fixed buffer, without allocation.
#pragma once

#include <carom/error.hpp>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace carom {

/// A text composed of pieces: strings, characters, integers, and numbers with at most 15 significant digits and no
/// trailing zeros ("2000", "0.1", "nan"). Text beyond the buffer is dropped. Error cuts messages at a shorter length.
class Text {
 public:
  template <class... Pieces>
  explicit Text(const Pieces&... pieces) {
    (add(pieces), ...);
  }

  void add(std::string_view text) {
    const std::size_t length = text.size() < sizeof text_ - size_ ? text.size() : sizeof text_ - size_;
    std::memcpy(text_ + size_, text.data(), length);
    size_ += length;
  }
  void add(char character) { add(std::string_view(&character, 1)); }
  void add(const Text& text) { add(text.view()); }
  template <class N>
  requires std::integral<N> || std::floating_point<N>
  void add(N number) {
    char digits[32];
    const std::to_chars_result end = [&] {
      if constexpr (std::integral<N>)
        return std::to_chars(digits, digits + sizeof digits, number);
      else
        return std::to_chars(digits, digits + sizeof digits, static_cast<double>(number), std::chars_format::general,
                             15);
    }();
    add(std::string_view(digits, end.ptr));
  }

  std::string_view view() const { return {text_, size_}; }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  char text_[Error::max_text + 128];
  std::size_t size_ = 0;
};

}  // namespace carom
