import { join } from 'node:path'
import { judges } from './files.ts'

/** Test files that one process runs one after the other, beside other lanes. */
export interface Lane {
  files: string[]
  /** Files that judge the whole run, once all lanes have ended. */
  judging: string[]
  /** Whether they share a platform, which is theirs alone. */
  isShared: boolean
}

const under = (...names: string[]) => names.map((name) => join('test', name))

/**
 * What leaves the first lane, so that all take about as long: a machine of two processors is busy with three of them, as
 * tests wait much of the time. Those of `own` have nodes, databases or platforms of their own, or need none. What counts
 * all that a platform has stays with all that uses the same one.
 */
const apart = {
  own: under('chains', 'core/queue', 'faults'),
  second: under(
    'core/imports', 'core/running', 'core/sheets', 'fuzz', 'independent', 'journey', 'pages', 'prompts', 'readme', 'tools',
    'access/abuse.limits', 'core/certification/did-web.verify', 'core/http/limits', 'core/http/outages', 'core/http/verify.lane',
    'core/identity/delivery', 'core/mint/full-contract', 'core/mint/kills', 'core/pages/dear-credentials',
  ),
}

/** The lanes of these files; one, with a platform, where they would all be in one. */
export function lanesOf(files: readonly string[]): Lane[] {
  const judging = files.filter(judges)
  const named = (names: readonly string[]) => files.filter((file) => names.some((name) => file.startsWith(name)))
  const [own, second] = [named(apart.own), named(apart.second)]
  const rest = files.filter((file) => !own.includes(file) && !second.includes(file) && !judging.includes(file))
  const lanes = [
    { files: rest, isShared: true }, { files: second, isShared: true }, { files: own, isShared: false },
  ].filter((lane) => lane.files.length > 0)
  if (lanes.length < 2) return files.length === 0 ? [] : [{ files: [...files], judging: [], isShared: true }]
  return lanes.map((lane, at) => ({ ...lane, judging: at === 0 ? judging : [] }))
}
