#include "settings.hpp"

#include <cmath>
#include <initializer_list>

namespace carom::bullet {

btContactSolverInfo sound(const btContactSolverInfo& info) {
  static const btContactSolverInfo usual;
  using Setting = btScalar btContactSolverInfoData::*;
  btContactSolverInfo settings = info;
  for (const Setting setting :
       {&btContactSolverInfoData::m_erp, &btContactSolverInfoData::m_erp2, &btContactSolverInfoData::m_linearSlop,
        &btContactSolverInfoData::m_splitImpulseTurnErp, &btContactSolverInfoData::m_globalCfm,
        &btContactSolverInfoData::m_frictionERP, &btContactSolverInfoData::m_damping})
    if (!std::isfinite(info.*setting)) settings.*setting = usual.*setting;
  for (const Setting setting :
       {&btContactSolverInfoData::m_sor, &btContactSolverInfoData::m_warmstartingFactor,
        &btContactSolverInfoData::m_restitutionVelocityThreshold, &btContactSolverInfoData::m_maxGyroscopicForce,
        &btContactSolverInfoData::m_splitImpulsePenetrationThreshold})
    if (std::isnan(info.*setting)) settings.*setting = usual.*setting;
  return settings;
}

}  // namespace carom::bullet
