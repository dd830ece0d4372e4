import type { Context } from '../../../core/kernel/work.ts'
import { fetchSource, type FetchedSource } from '../../../core/features/imports/engine/fetch.ts'
import { startSchedules } from '../../../core/features/imports/mappers/schedule.ts'

/** Starts one more worker's look for mappers that are due: at once, and then at intervals until it is stopped. */
export const startScheduling = (context: Context): { stop(): Promise<void> } => startSchedules(context)

/** Fetches the source of a mapper as the run of an import does, also of a mapper that is gone. */
export const fetchMapperSource = (
  context: Context,
  run: { job: string; organization: string; mapper: string },
): Promise<FetchedSource | 'unchanged'> => fetchSource(context, run)
