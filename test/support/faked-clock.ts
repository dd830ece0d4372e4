import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { unpackedPackage } from '../../core/embedded/debian.ts'

/** A clock that programs are given by the distribution's libfaketime; their monotonic clocks go on as they are. */
export interface FakedClock {
  /** The environment of programs that are to see it. */
  env: Record<string, string>
  /** Puts it so many seconds before or after the real one, for all programs at once. */
  put(seconds: number): void
  remove(): void
}

export async function fakedClock(): Promise<FakedClock> {
  const { root } = await unpackedPackage('libfaketime')
  const [library] = globSync(join(root, 'usr/lib/*/faketime/libfaketimeMT.so.1'))
  if (library === undefined) throw new Error('libfaketime has no library for programs of several threads')
  // PostgreSQL may run as a user who cannot enter the cache.
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-clock-'))
  chmodSync(folder, 0o755)
  const preload = join(folder, 'libfaketime.so')
  copyFileSync(library, preload)
  chmodSync(preload, 0o644)
  const file = join(folder, 'offset')
  const put = (seconds: number) => {
    const next = `${file}.next`
    writeFileSync(next, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 })
    renameSync(next, file)
  }
  put(0)
  const env = {
    LD_PRELOAD: preload, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  const holder = spawn(process.execPath, ['-e', 'process.stdout.write(`${process.env.FAKETIME_SHARED}\\n`); setInterval(() => {}, 1e6)'], {
    env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [shared] = await once(createInterface({ input: holder.stdout }), 'line') as [string]
  openToOthers(shared)
  return {
    env: { ...env, FAKETIME_SHARED: shared },
    put,
    remove() {
      holder.kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/** What the library's programs share is made for one user; PostgreSQL may be another one. Source: libfaketime, README. */
function openToOthers(shared: string): void {
  const [semaphore = '', memory = ''] = shared.trim().split(/\s+/).map((name) => name.replace(/^\//, ''))
  for (const file of [`sem.${semaphore}`, memory]) chmodSync(join('/dev/shm', file), 0o666)
}
