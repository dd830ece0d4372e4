export {
  createBoundedSql,
  maxJobUnits,
  queueForCertification,
  type StartedUnitsJob,
  startUnitsJob,
  takeNextUnits,
} from './units.ts'
