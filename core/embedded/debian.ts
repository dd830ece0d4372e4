import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './tied.ts'

const run = promisify(execFile)

/** A package of the distribution, unpacked into a folder of the caller's own: nothing is installed, nobody has to be root. */
export interface Unpacked { root: string; env: { LD_LIBRARY_PATH: string } }

/**
 * The package with its libraries, fetched once and kept in the caller's cache.
 * @param also packages that come along although a simulated installation may not name them
 * @throws Error when this is no Debian, or the package cannot be had
 */
export async function unpackedPackage(name: string, also: readonly string[] = []): Promise<Unpacked> {
  if (!findProgram('apt-get') || !findProgram('dpkg')) throw new Error(`${name} is not on the PATH, and there is no apt-get to fetch it`)
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  const root = join(cache, name)
  if (!existsSync(root)) await unpackInto(root, cache, name, also)
  return { root, env: { LD_LIBRARY_PATH: (await libraryFolders(root)).join(':') } }
}

/** Unpacks into a folder of its own first, so that a cut or a second start never leaves half a package. */
async function unpackInto(root: string, cache: string, name: string, also: readonly string[]): Promise<void> {
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const draft = await mkdtemp(`${root}.`)
  try {
    const downloads = join(draft, 'downloads')
    for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
      await mkdir(join(draft, folder), { recursive: true })
    }
    const settings = aptSettings(draft)
    // One source that is away fails the whole update; what counts is whether the packages can be had afterwards.
    const apt = (...args: string[]) => run('apt-get', [...settings, ...args], { cwd: downloads })
    const outdated = await apt('update').then(() => '', (cause: Error) => cause.message)
    const wanted = [name, ...also]
    await apt('download', ...wanted, ...await missing(apt, name, wanted)).catch((cause: Error) => {
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

type Apt = (...args: string[]) => Promise<{ stdout: string }>

/** What an installation would bring besides: libraries that a lean system does not have. */
async function missing(apt: Apt, name: string, wanted: readonly string[]): Promise<string[]> {
  const { stdout } = await apt('install', '--simulate', '--no-install-recommends', name)
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found = '']) => found)
  return names.filter((found) => found.startsWith('lib') && !wanted.includes(found))
}

/** apt with lists and archives of its own and the system's knowledge of what is installed; no lock, no other user. */
const aptSettings = (folder: string) => [
  `Dir::State=${folder}/state`, 'Dir::State::status=/var/lib/dpkg/status', `Dir::Cache=${folder}/cache`,
  'APT::Sandbox::User=', 'Debug::NoLocking=1', 'Acquire::Languages=none', 'Acquire::Retries=2',
].flatMap((setting) => ['-o', setting])

async function libraryFolders(root: string): Promise<string[]> {
  const found: string[] = []
  for (const base of ['lib', 'usr/lib'].map((name) => join(root, name)).filter((path) => existsSync(path))) {
    const inner = await readdir(base, { withFileTypes: true })
    found.push(base, ...inner.filter((entry) => entry.isDirectory()).map((entry) => join(base, entry.name)))
  }
  return found
}
