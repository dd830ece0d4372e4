import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackedPackage } from './debian.ts'
import { findProgram } from './tied.ts'

export interface RedisProgram {
  path: string
  env: NodeJS.ProcessEnv
  source: string
}

const parts = ['redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1']
const run = promisify(execFile)

/** A server of the system, else the distribution's package, unpacked without root. Rejects when neither can be had. */
export async function redisProgram(): Promise<RedisProgram> {
  const installed = findProgram('redis-server', 'valkey-server')
  if (installed !== undefined) return { path: installed, env: {}, source: installed }
  const { root, env } = await unpackedPackage('redis-server', parts)
  const path = join(root, 'usr/bin/redis-server')
  await run(path, ['--version'], { env })
  return { path, env, source: `the distribution's redis-server in ${root}` }
}
