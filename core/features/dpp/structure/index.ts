export { structureJob } from './structure.jobs.ts'
export {
  createHeldStructureJob,
  type ParentCounts,
  releaseStructureJob,
  startStructureJob,
  structureStep,
} from './structure.ts'
