// Validate, for the algebraic laws: which laws the contacts have, their parameters, and the first fault
// of every contact.
#pragma once

#include "law_parameters.hpp"
#include "law_stages.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct LawValidation {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = TileLoader<A, T>;
  using Stages = LawStages<A, T>;
  using Reader = ParameterReader<A, T, 3>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  LawTile<T>& tile;
  const Parameters<T>& options;

  /// The laws of a block of the batch: a number for every contact, and which there are at all.
  void find_laws(const LawColumns<T>& contacts, const Block& block, std::size_t slot) const {
    const Law otherwise = options.law;
    if (contacts.law.data == nullptr) {
      store_lanes(tile.law + slot, B(static_cast<T>(otherwise)));
      tile.laws[slot / width] = bit_of(otherwise);
      return;
    }
    unsigned laws[width];
    if (block.count == width && contacts.law.stride == 1) [[likely]] {
      const Law* const given = &element(contacts.law, block.first);
      for (std::size_t lane = 0; lane < width; ++lane) laws[lane] = static_cast<unsigned>(given[lane]);
    } else {
      for (std::size_t lane = 0; lane < width; ++lane)
        laws[lane] =
            static_cast<unsigned>(element(contacts.law, block.first + (lane < block.count ? lane : block.count - 1)));
    }
    unsigned present = 0;
    for (std::size_t lane = 0; lane < width; ++lane) {
      const unsigned law = laws[lane] < law_count ? laws[lane] : law_count;
      tile.law[slot + lane] = static_cast<T>(static_cast<std::int32_t>(law));
      present |= 1u << law;
    }
    tile.laws[slot / width] = present;
  }

  template <class Form>
  [[gnu::flatten]] void validate(const Form& contacts, const LawColumns<T>& columns, const Block& lanes,
                                 WholeBlock block, std::size_t slot, bool indexed) const {
    const auto limits = Validator<A, T>::limits_of(options);
    const ParameterLanes<T, 3> parameters = {tile.parameters[0] + slot};
    Validator<A, T> validator;
    validator.fault = Stages::get(tile.status, slot);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
    unsigned found = 0;
    const auto of_law = [&] { return validate_law(columns, lanes, slot, parameters, validator, found); };
    const auto each = [&](auto&& f) { Reader::for_each_field(parameters, found, f); };
    if constexpr (requires { contacts.r_a; }) {
      const B computed = Stages::get(tile.trace, slot) + Stages::get(tile.wx, slot);
      validator.contact(Load::load_bodies(contacts, block), Stages::get(tile.length, slot), friction, restitution,
                        limits, vanishing(computed), of_law, [&](auto&& f) {
                          for_each_field(Load::load(contacts.r_a, block), f);
                          for_each_field(Load::load(contacts.r_b, block), f);
                          for_each_field(Load::load(contacts.normal, block), f);
                          each(f);
                        });
      if (indexed) validator.indices(Stages::get(tile.index_fault, slot));
    } else {
      validator.contact(Load::load(contacts.k, block), Load::load(contacts.separation_velocity, block), friction,
                        restitution, limits, of_law, each);
    }
    store_lanes(tile.status + slot, validator.verdict(Stages::get(tile.u0z, slot) < B(0)));
    store_lanes(tile.friction + slot, friction);
    store_lanes(tile.restitution + slot, restitution);
  }

 private:
  /// Validates the parameters of a contact's law. `found`: the parameters that the tile has.
  [[gnu::always_inline]] B validate_law(const LawColumns<T>& columns, const Block& lanes, std::size_t slot,
                                        const ParameterLanes<T, 3>& parameters, Validator<A, T>& validator,
                                        unsigned& found) const {
    validator.restitution_law(columns, lanes, options.restitution_law, RestitutionLaw::kinematic);
    if ((tile.laws[slot / width] & (laws_with_parameters<3> | unavailable_laws)) == 0) return B(0);
    return read_parameters(columns, lanes, slot, parameters, validator, found);
  }

  /// Zero where all of them are finite, else NaN.
  [[gnu::noinline]] B read_parameters(const LawColumns<T>& contacts, const Block& lanes, std::size_t slot,
                                      const ParameterLanes<T, 3>& parameters, Validator<A, T>& validator,
                                      unsigned& found) const {
    Reader reader(contacts, lanes, parameters);
    const unsigned present = tile.laws[slot / width];
    const B law = Stages::get(tile.law, slot);
    for_each_bit(present & laws_with_parameters<3>,
                 [&](std::size_t number) { reader.read(static_cast<Law>(number), law == B(static_cast<T>(number))); });
    reader.validate(validator);
    const auto is = [&](std::size_t number) { return law == B(static_cast<T>(number)); };
    validator.set(is(static_cast<std::size_t>(Law::pfeiffer_glocker)) || is(law_count), Status::law_unavailable);
    found = reader.found();
    return reader.sum();
  }
};

}  // namespace
}  // namespace carom::kernel
