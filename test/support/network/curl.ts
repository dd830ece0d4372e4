import { join } from 'node:path'
import { fetchPackage } from '../../../core/embedded/debian-package.ts'
import { findProgram } from '../../../core/embedded/tied-process.ts'

/**
 * Returns the environment in which a shell finds `curl`: empty if it is installed, otherwise with the distribution's
 * package.
 */
export async function findCurlEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (findProgram('curl') !== undefined) return {}
  const { root, env } = await fetchPackage('curl')
  return { ...env, PATH: `${join(root, 'usr/bin')}:${process.env['PATH'] ?? ''}` }
}
