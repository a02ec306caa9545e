#include "settings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace carom::bullet {

namespace {

using Setting = btScalar btContactSolverInfoData::*;

constexpr Setting finite_ones[] = {
    &btContactSolverInfoData::m_erp,        &btContactSolverInfoData::m_erp2,
    &btContactSolverInfoData::m_linearSlop, &btContactSolverInfoData::m_splitImpulseTurnErp,
    &btContactSolverInfoData::m_globalCfm,  &btContactSolverInfoData::m_frictionERP,
    &btContactSolverInfoData::m_damping};
constexpr Setting others[] = {&btContactSolverInfoData::m_sor, &btContactSolverInfoData::m_warmstartingFactor,
                              &btContactSolverInfoData::m_restitutionVelocityThreshold,
                              &btContactSolverInfoData::m_maxGyroscopicForce,
                              &btContactSolverInfoData::m_splitImpulsePenetrationThreshold};

}  // namespace

const btContactSolverInfo& sound(const btContactSolverInfo& info, btContactSolverInfo& place) {
  bool is_sound = true;
  for (const Setting setting : finite_ones) is_sound = is_sound & (std::isfinite(info.*setting) != 0);
  for (const Setting setting : others) is_sound = is_sound & !std::isnan(info.*setting);
  if (is_sound) return info;
  const btContactSolverInfo usual;
  place = info;
  for (const Setting setting : finite_ones)
    if (!std::isfinite(info.*setting)) place.*setting = usual.*setting;
  for (const Setting setting : others)
    if (std::isnan(info.*setting)) place.*setting = usual.*setting;
  return place;
}

}  // namespace carom::bullet
