export { namePassports } from './names.ts'
export {
  createBoundedSql,
  findUnits,
  maxJobUnits,
  queueForCertification,
  type StartedUnitsJob,
  startUnitsJob,
  takeBoundedIds,
  takeNextUnits,
  type UnitsJobSelection,
} from './units.ts'
