import { join } from 'node:path'
import { unpackedPackage } from '../../core/embedded/debian.ts'
import { findProgram } from '../../core/embedded/tied.ts'

/** What a shell needs so that `curl` is there, as every reader of the tour has it: nothing, or the distribution's package. */
export async function withCurl(): Promise<NodeJS.ProcessEnv> {
  if (findProgram('curl') !== undefined) return {}
  const { root, env } = await unpackedPackage('curl')
  return { ...env, PATH: `${join(root, 'usr/bin')}:${process.env['PATH'] ?? ''}` }
}
