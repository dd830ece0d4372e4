import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { runEntry } from '../../support/children/entries.ts'
import { createTemporaryFolder, removeFolder } from '../../support/folders.ts'
import { platform } from '../../support/platform.ts'

const starts = 300
/** Starts at a time: more than the machine has processors, so that V8's compilers are behind when a process exits. */
const startsAtATime = 6

describe(`${starts} starts of the API on a port that is in use`, () => {
  it('all end: no exit waits for a compiler that waits for memory', async () => {
    const dataDir = createTemporaryFolder()
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const env = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      DATABASE_URL: platform.database,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      SESSION_SECRET: 'a secret of this test only',
      PORT: `${(holder.address() as AddressInfo).port}`,
    }
    let left = starts
    const codes: (number | null)[] = []
    const startInTurn = async () => {
      while (left-- > 0) codes.push((await runEntry('core/server.ts', env)).code)
    }
    try {
      await Promise.all(Array.from({ length: startsAtATime }, startInTurn))
    } finally {
      holder.close()
      await removeFolder(dataDir)
    }
    expect(codes).to.deep.equal(Array.from({ length: starts }, () => 1))
  })
}).timeout(10 * 60_000)
