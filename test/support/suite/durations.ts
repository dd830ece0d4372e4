import { getLane, laneNames } from './lanes.ts'
import type { FileResult } from './run-files.ts'

/** How many of the slowest files of a lane are printed. */
const maxPrintedFiles = 20
/** Files below this are not worth a line. */
const minPrintedMs = 1_000

const formatSeconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(6)

/** Prints how long each lane took, with its slowest files. A file counts from its load to the end of its last hook. */
export function printSlowestFiles(results: readonly FileResult[], printLine: (line: string) => void): void {
  for (const lane of laneNames) {
    const files = results.filter(({ file }) => getLane(file) === lane).sort((a, b) => b.durationMs - a.durationMs)
    const total = files.reduce((sum, { durationMs }) => sum + durationMs, 0)
    if (files.length > 0) printLine(`${formatSeconds(total)} s in ${files.length} files of the lane ${lane}`)
    for (const { file, durationMs } of files.slice(0, maxPrintedFiles))
      if (durationMs >= minPrintedMs) printLine(`${formatSeconds(durationMs)} s ${file}`)
  }
}
