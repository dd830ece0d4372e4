import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './tied.ts'

export interface RedisProgram {
  path: string
  env: NodeJS.ProcessEnv
  source: string
}

const wanted = ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1']
const run = promisify(execFile)

/** A server of the system, else the distribution's package, unpacked without root. Rejects when neither can be had. */
export async function redisProgram(): Promise<RedisProgram> {
  const installed = findProgram('redis-server', 'valkey-server')
  if (installed !== undefined) return { path: installed, env: {}, source: installed }
  if (!findProgram('apt-get') || !findProgram('dpkg')) throw new Error('no redis-server or valkey-server on the PATH')
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  const root = join(cache, 'redis')
  if (!existsSync(root)) await unpackInto(root, cache)
  const env = { LD_LIBRARY_PATH: (await libraryFolders(root)).join(':') }
  const path = join(root, 'usr/bin/redis-server')
  await run(path, ['--version'], { env })
  return { path, env, source: `the distribution's redis-server in ${root}` }
}

/** Unpacks into a folder of its own first, so that a cut or a second start never leaves half a server. */
async function unpackInto(root: string, cache: string): Promise<void> {
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
    await apt('download', ...wanted, ...await missing(apt)).catch((cause: Error) => {
      throw new Error(`the package cannot be had: ${outdated || cause.message}`)
    })
    for (const name of await readdir(downloads)) await run('dpkg', ['-x', join(downloads, name), join(draft, 'root')])
    await rename(join(draft, 'root'), root).catch((cause: Error) => {
      if (!existsSync(root)) throw cause
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** What an installation would bring besides: libraries that a lean system does not have. */
async function missing(apt: (...args: string[]) => Promise<{ stdout: string }>): Promise<string[]> {
  const { stdout } = await apt('install', '--simulate', '--no-install-recommends', 'redis-server')
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  return names.filter((name) => name.startsWith('lib') && !wanted.includes(name))
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
