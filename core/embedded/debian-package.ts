import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './tied-process.ts'

const run = promisify(execFile)

/**
 * A package of the distribution, unpacked into a folder of the caller's own. Nothing is installed and root is not
 * needed.
 */
export interface UnpackedPackage {
  root: string
  env: { LD_LIBRARY_PATH: string }
}

/**
 * Fetches a package with its libraries once and keeps it in the caller's cache.
 * @param extraPackages packages to fetch as well, even if a simulated installation does not name them
 * @throws Error if the system has no apt-get and dpkg, or if the package cannot be fetched
 */
export async function fetchPackage(name: string, extraPackages: readonly string[] = []): Promise<UnpackedPackage> {
  if (!findProgram('apt-get') || !findProgram('dpkg'))
    throw new Error(`${name} is not on the PATH, and there is no apt-get to fetch it`)
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  const root = join(cache, name)
  if (!existsSync(root)) await unpackPackageInto(root, cache, name, extraPackages)
  return { root, env: { LD_LIBRARY_PATH: (await listLibraryFolders(root)).join(':') } }
}

/** Unpacks into a temporary folder first, so that neither a crash nor a second start leaves an incomplete package. */
async function unpackPackageInto(
  root: string,
  cache: string,
  name: string,
  extraPackages: readonly string[],
): Promise<void> {
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const draft = await mkdtemp(`${root}.`)
  try {
    const downloads = join(draft, 'downloads')
    for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
      await mkdir(join(draft, folder), { recursive: true })
    }
    const settings = createAptSettings(draft)
    // The update fails if a single source is unavailable; it only matters whether the packages can be downloaded then.
    const apt = (...args: string[]) => run('apt-get', [...settings, ...args], { cwd: downloads })
    const outdated = await apt('update').then(
      () => '',
      (cause: Error) => cause.message,
    )
    const wanted = [name, ...extraPackages]
    await apt('download', ...wanted, ...(await listMissingPackages(apt, name, wanted))).catch((cause: Error) => {
      throw new Error(`the package ${name} cannot be had: ${outdated || cause.message}`)
    })
    for (const file of await readdir(downloads)) await run('dpkg', ['-x', join(downloads, file), join(draft, 'root')])
    await rename(join(draft, 'root'), root).catch((cause: Error) => {
      if (!existsSync(root)) throw cause
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

type AptCommand = (...args: string[]) => Promise<{ stdout: string }>

/** Lists the libraries that an installation would add because a minimal system lacks them. */
async function listMissingPackages(apt: AptCommand, name: string, wanted: readonly string[]): Promise<string[]> {
  const { stdout } = await apt('install', '--simulate', '--no-install-recommends', name)
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found = '']) => found)
  return names.filter((found) => found.startsWith('lib') && !wanted.includes(found))
}

/**
 * Creates options for apt: its own lists and archives, the system's status of installed packages, no lock, no other
 * user.
 */
const createAptSettings = (folder: string) =>
  [
    `Dir::State=${folder}/state`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${folder}/cache`,
    'APT::Sandbox::User=',
    'Debug::NoLocking=1',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((setting) => ['-o', setting])

async function listLibraryFolders(root: string): Promise<string[]> {
  const folders: string[] = []
  for (const base of ['lib', 'usr/lib'].map((name) => join(root, name)).filter((path) => existsSync(path))) {
    const inner = await readdir(base, { withFileTypes: true })
    folders.push(base, ...inner.filter((entry) => entry.isDirectory()).map((entry) => join(base, entry.name)))
  }
  return folders
}
