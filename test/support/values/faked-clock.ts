import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchPackage } from '../../../core/embedded/debian-package.ts'

/** A clock that programs see through the distribution's libfaketime. Their monotonic clocks are not changed. */
export interface FakedClock {
  /** The environment for programs that should see the clock. */
  env: Record<string, string>
  /** Sets the clock this many seconds before or after the real one, for all programs at once. */
  setOffset(seconds: number): void
  remove(): void
}

export async function createFakedClock(): Promise<FakedClock> {
  const { root } = await fetchPackage('libfaketime')
  const [library] = globSync(join(root, 'usr/lib/*/faketime/libfaketimeMT.so.1'))
  if (library === undefined) throw new Error('libfaketime has no library for programs of several threads')
  // PostgreSQL may run as a user who cannot read the cache.
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-clock-'))
  chmodSync(folder, 0o755)
  const preload = join(folder, 'libfaketime.so')
  copyFileSync(library, preload)
  chmodSync(preload, 0o644)
  const file = join(folder, 'offset')
  const setOffset = (seconds: number) => {
    const next = `${file}.next`
    writeFileSync(next, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 })
    renameSync(next, file)
  }
  setOffset(0)
  const env = {
    LD_PRELOAD: preload,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  const holder = spawn(
    process.execPath,
    ['-e', 'process.stdout.write(`${process.env.FAKETIME_SHARED}\\n`); setInterval(() => {}, 1e6)'],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [shared] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string]
  shareMemoryFiles(shared)
  return {
    env: { ...env, FAKETIME_SHARED: shared },
    setOffset,
    remove() {
      holder.kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Makes libfaketime's shared memory accessible to all users, because PostgreSQL may run as another one. Source:
 * libfaketime, README.
 */
function shareMemoryFiles(shared: string): void {
  const [semaphore = '', memory = ''] = shared
    .trim()
    .split(/\s+/)
    .map((name) => name.replace(/^\//, ''))
  for (const file of [`sem.${semaphore}`, memory]) chmodSync(join('/dev/shm', file), 0o666)
}
