import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { slowFiles } from './slow-files.ts'
import { checksWholeRun } from './test-files.ts'

export const laneNames = ['unit', 'api', 'proof', 'house'] as const

/**
 * What a test file needs: nothing but its own process (`unit`), the shared platform (`api`), or programs that it starts
 * itself (`proof`). The rules of the repository are a lane by themselves (`house`): they need nothing either, and no part
 * of the product runs in them.
 */
export type LaneName = (typeof laneNames)[number]

const root = join(import.meta.dirname, '../../..')

/** The folder of the repository's own rules. */
const houseFolder = posix.join('test', 'house', '/')

/** Folders of proofs. Some of them start nothing, and take long all the same. */
const proofFolders = ['proof', 'chains'].map((name) => posix.join('test', name, '/'))

/** The module through which tests find the shared platform. The client of most tests imports it. */
const platformModule = 'test/support/platform.ts'

/** The module that starts a platform for one test. Such a test uses that one, unless it is listed below. */
const ownPlatformModule = 'test/support/own-platform.ts'

/** Test files that start a platform, or import what does, and use the shared one as well. */
export const filesOnBoth: ReadonlySet<string> = new Set([
  'test/core/certification/storage/ipfs.long.ts',
  'test/core/http/events/streams.long.ts',
  'test/core/identity/sign-in/code-sends.long.ts',
  'test/independent/mutate.test.ts',
  'test/independent/receipt.test.ts',
])

/** Modules that start programs: databases, nodes, processes of the product, browsers. */
const programs = [
  'core/embedded/',
  ownPlatformModule,
  'test/core/queue/children/',
  'test/support/bridge/bridge-process.ts',
  'test/support/chains/',
  'test/support/database/',
  'test/support/node.ts',
]

/** Decides in which lane a test file runs, by what it imports. */
export function getLane(file: string): LaneName {
  if (file.startsWith(houseFolder)) return 'house'
  if (proofFolders.some((folder) => file.startsWith(folder))) return 'proof'
  const modules = listImportedModules(file)
  const isOnOwnPlatform = modules.has(ownPlatformModule) && !filesOnBoth.has(file)
  if (modules.has(platformModule) && !isOnOwnPlatform) return 'api'
  return [...modules].some((module) => programs.some((program) => module.startsWith(program))) ? 'proof' : 'unit'
}

const importPattern =
  /^(?:import|export)\s+(?!type\b)(?:[^'"]*?from\s+)?'(\.[^']+)'|import\('(\.[^']+)'\)|new URL\('(\.[^']+\.ts)'/gms
const importsByFile = new Map<string, readonly string[]>()

/** Lists our own modules that a file loads, directly or through others. Imports of types do not count. */
function listImportedModules(file: string): Set<string> {
  const seen = new Set<string>()
  const pending = [file]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    pending.push(...readImports(next))
  }
  return seen
}

function readImports(file: string): readonly string[] {
  const known = importsByFile.get(file)
  if (known) return known
  const path = join(root, file)
  const text = file.endsWith('.ts') && existsSync(path) ? readFileSync(path, 'utf8') : ''
  const imports = [...text.matchAll(importPattern)].map(([, direct, late, address]) =>
    posix.join(dirname(file), direct ?? late ?? address ?? ''),
  )
  importsByFile.set(file, imports)
  return imports
}

/** The minimum number of files that need a platform at which starting more than one platform saves time. */
const minFilesForMorePlatforms = 20

/** Processes that run files at the same time. Tests often wait, so three of them keep two processors busy. */
const maxProcesses = 3
/** The same for files that only compute. */
const maxComputingProcesses = 2

/** What processes take their files from. */
export interface WorkPlan {
  /** The files that need a shared platform. */
  onPlatform: string[]
  /** The files that any process can run. */
  free: string[]
  /** The file that checks the whole run, after all others have ended. */
  wholeRun: string[]
  /** How many platforms are shared, each by the files of one process. */
  platformCount: number
  /** How many processes have no platform. */
  freeCount: number
}

export function createWorkPlan(files: readonly string[]): WorkPlan {
  const wholeRun = files.filter(checksWholeRun)
  const others = sortSlowFirst(files.filter((file) => !checksWholeRun(file)))
  const onPlatform = others.filter((file) => getLane(file) === 'api')
  const free = others.filter((file) => !onPlatform.includes(file))
  const platformCount = countPlatforms(onPlatform.length, free.length)
  const starts = free.some((file) => getLane(file) === 'proof')
  const maxFree = platformCount > 0 || starts ? maxProcesses - platformCount : maxComputingProcesses
  return { onPlatform, free, wholeRun, platformCount, freeCount: Math.min(free.length, maxFree) }
}

function countPlatforms(onPlatform: number, free: number): number {
  if (onPlatform < minFilesForMorePlatforms) return Math.min(onPlatform, 1)
  return free > 0 ? maxProcesses - 1 : maxProcesses
}

/** Puts the slow files first, the slowest before all; the others keep their order. */
function sortSlowFirst(files: readonly string[]): string[] {
  const rank = (file: string) => (slowFiles.includes(file) ? slowFiles.indexOf(file) : slowFiles.length)
  return files.toSorted((a, b) => rank(a) - rank(b))
}
