import type { JobDeclaration } from '../job.ts'
import { setWords, type JobType } from '../words.ts'

const installedJobs: readonly JobDeclaration<unknown>[] = []

/** Makes these the jobs of the process. */
export function setJobDeclarations(jobs: readonly JobDeclaration<unknown>[]): void {
  setWords(installedJobs, jobs)
}

/** Returns the declaration of a type of jobs; undefined if no area has jobs of this type any more. */
export const findJobDeclaration = (type: JobType): JobDeclaration<unknown> | undefined =>
  installedJobs.find((job) => job.type === type)
