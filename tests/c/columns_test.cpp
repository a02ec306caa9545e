// Columns in C of adjacent numbers, and of immovable bodies.
#include <carom/carom.h>
#include <gtest/gtest.h>

#include <cstring>

namespace carom {
namespace {

struct Element {
  float numbers[6];
  int other;
};

template <class Column>
void expect_part(const Column& column, const void* data) {
  EXPECT_EQ(column.data, data);
  EXPECT_EQ(column.count, 2u);
  EXPECT_EQ(column.stride, static_cast<std::ptrdiff_t>(sizeof(Element)));
}

TEST(CColumns, are_the_numbers_of_vectors) {
  Element elements[2] = {};
  float* const first = elements[0].numbers;
  const std::size_t n = 2;
  const std::ptrdiff_t stride = sizeof(Element);
  expect_part(carom_part(CAROM_FLOAT, first, 4, n, stride), first + 4);
  expect_part(carom_output_part(CAROM_FLOAT, first, 4, n, stride), first + 4);
  expect_part(carom_interleaved3(CAROM_FLOAT, first, n, stride).z, first + 2);
  expect_part(carom_interleaved2(CAROM_FLOAT, first, n, stride).y, first + 1);
  expect_part(carom_interleaved_outputs3(CAROM_FLOAT, first, n, stride).z, first + 2);
  expect_part(carom_interleaved_outputs2(CAROM_FLOAT, first, n, stride).y, first + 1);
  const carom_symmetric3 six = carom_interleaved_symmetric3(CAROM_FLOAT, first, n, stride);
  expect_part(six.xx, first);
  expect_part(six.xy, first + 1);
  expect_part(six.xz, first + 2);
  expect_part(six.yy, first + 3);
  expect_part(six.yz, first + 4);
  expect_part(six.zz, first + 5);
  const carom_symmetric2 three = carom_interleaved_symmetric2(CAROM_FLOAT, first, n, stride);
  expect_part(three.xx, first);
  expect_part(three.xy, first + 1);
  expect_part(three.yy, first + 2);
  expect_part(carom_interleaved3(CAROM_DOUBLE, first, n, stride).y, first + 2);
}

TEST(CColumns, of_no_array_or_no_precision_are_absent) {
  const float number = 0;
  for (const carom_column& none : {carom_interleaved3(CAROM_FLOAT, nullptr, 3, 4).y, carom_part(7, &number, 0, 1, 4)}) {
    EXPECT_EQ(none.data, nullptr);
    EXPECT_EQ(none.count, 0u);
    EXPECT_EQ(none.stride, 0);
  }
}

TEST(CColumns, of_immovable_bodies_are_zeros) {
  const carom_bodies bodies = carom_immovable(3);
  const carom_planar_bodies planar = carom_planar_immovable(3);
  const auto expect_zeros = [](const void* columns, std::size_t size) {
    for (std::size_t i = 0; i < size / sizeof(carom_column); ++i) {
      carom_column column;
      std::memcpy(&column, static_cast<const char*>(columns) + i * sizeof column, sizeof column);
      EXPECT_EQ(column.count, 3u) << i;
      EXPECT_EQ(column.stride, 0) << i;
      EXPECT_EQ(*static_cast<const double*>(column.data), 0) << i;
    }
  };
  expect_zeros(&bodies, sizeof bodies);
  expect_zeros(&planar, sizeof planar);
}

}  // namespace
}  // namespace carom
