import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export type Revision = '2025-11-25' | '2026-07-28'

/** What the suite found, as it writes it; only what is read here is named. */
export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** The checks of each scenario that ran. */
export type ScenarioChecks = ReadonlyMap<string, readonly Check[]>

/** Ids of scenarios that a revision asks of a server. */
export interface Requirements {
  readonly scored: readonly string[]
  /** Run and reported, but part of no figure. */
  readonly unscored: readonly string[]
}

const home = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'))

/** The suite's own list, in the order in which it runs them. */
export async function readRequirements(revision: Revision): Promise<Requirements> {
  const text = await readFile(join(home, 'requirements', `${revision}.yaml`), 'utf8')
  const section = (name: string) => new RegExp(`^${name}:\\n((?:[ #].*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? ''
  const scored = [...section('server').matchAll(/^ {2}- (\S+)$/gm)].map(([, id]) => id ?? '')
  const entries = section('not_scored').matchAll(/^ {2}- scenario: (\S+)\n {4}leg: server$/gm)
  return { scored, unscored: [...entries].map(([, id]) => id ?? '') }
}

/**
 * Runs the suite's command against a server, one scenario after the other, as a process of its own.
 * @param until it is stopped when this scenario would begin, so that those after it take no time
 * @param timeoutMs milliseconds; what has not run by then is missing
 */
export async function runConformanceSuite(
  url: string,
  revision: Revision,
  { until, timeoutMs = 300_000 }: { until?: string | undefined; timeoutMs?: number } = {},
): Promise<ScenarioChecks> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const args = [join(home, 'dist/index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const stop = () => void child.kill('SIGKILL')
    const patient = setTimeout(stop, timeoutMs)
    process.once('exit', stop)
    for await (const line of createInterface(child.stdout)) {
      if (until !== undefined && line.endsWith(`Running scenario: ${until} ===`)) stop()
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    clearTimeout(patient)
    process.off('exit', stop)
    return await findingsIn(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Each scenario has a folder, named by it and by the time at which it ran. */
async function findingsIn(folder: string): Promise<ScenarioChecks> {
  const findings = new Map<string, readonly Check[]>()
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1]
    if (scenario === undefined) throw new Error(`${name} is not a folder of the suite`)
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => null)
    if (text !== null) findings.set(scenario, JSON.parse(text) as Check[])
  }
  return findings
}
