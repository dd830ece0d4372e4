import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetchPackage } from './debian-package.ts'
import { findProgram } from './tied-process.ts'

export interface RedisProgram {
  path: string
  env: NodeJS.ProcessEnv
  source: string
}

const packageNames = ['redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1']
const run = promisify(execFile)

/**
 * Finds a server of the system, or else unpacks the distribution's package without root. Rejects if neither is
 * available.
 */
export async function findRedisProgram(): Promise<RedisProgram> {
  const installed = findProgram('redis-server', 'valkey-server')
  if (installed !== undefined) return { path: installed, env: {}, source: installed }
  const { root, env } = await fetchPackage('redis-server', packageNames)
  const path = join(root, 'usr/bin/redis-server')
  await run(path, ['--version'], { env })
  return { path, env, source: `the distribution's redis-server in ${root}` }
}
