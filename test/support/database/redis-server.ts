import { startRedis } from '../../../core/embedded/redis.ts'
import { removeFolder, createTemporaryFolder } from '../folders.ts'

/** Starts a Redis for one test file. */
export async function startRedisServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = createTemporaryFolder()
  const fail = (cause: Error | string): never => {
    throw cause instanceof Error ? cause : new Error(cause)
  }
  const redis = await startRedis({ dataDir, giveUp: fail, warn: fail })
  if (!redis) throw new Error('These tests need a Redis')
  return {
    url: redis.url,
    async stop() {
      await redis.stop()
      await removeFolder(dataDir)
    },
  }
}
