import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { keepProgram, LaunchHinderedError, type KeptProgram, type Program } from '../../../core/embedded/keeper.ts'
import { createTemporaryFolder } from '../../support/folders.ts'
import { waitUntil } from '../../support/processes.ts'

/** A program that serves until it is killed, and whose start fails with code 3 while a file is there. */
function stubborn(folder: string, isEssential: boolean) {
  const broken = join(folder, 'broken')
  let launches = 0
  let hindered = 0
  const program: Program = {
    name: 'stubborn',
    isEssential,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    tail: () => 'its last line',
    launch() {
      launches++
      if (hindered-- > 0) throw new LaunchHinderedError('something stands in its way')
      return spawn('sh', ['-c', existsSync(broken) ? 'exit 3' : 'exec sleep 1000'], { stdio: 'ignore' })
    },
    async ready() {
      while (existsSync(broken)) await sleep(10)
    },
  }
  return {
    program,
    get launches() {
      return launches
    },
    hinder(times: number) {
      hindered = times
    },
    break() {
      writeFileSync(broken, '')
    },
    mend() {
      rmSync(broken)
    },
  }
}

async function kill(kept: KeptProgram): Promise<void> {
  const { pid } = kept
  if (pid === undefined) throw new Error('nothing runs')
  process.kill(pid, 'SIGKILL')
  await waitUntil('its death is seen', () => kept.pid !== pid)
}

describe('core/embedded/keeper: a program that is started again', () => {
  const folder = createTemporaryFolder()
  let gaveUp: Error | undefined
  const giveUp = (cause: Error) => {
    gaveUp = cause
  }
  beforeEach(() => {
    gaveUp = undefined
  })
  after(() => rmSync(folder, { recursive: true }))

  it('ends with an essential one whose start failed five times in a row', async () => {
    const one = stubborn(folder, true)
    const kept = keepProgram(one.program, giveUp, { maxMs: 10 })
    await kept.ready()
    one.break()
    await kill(kept)
    await waitUntil('it gives up', () => gaveUp !== undefined)
    expect([one.launches, gaveUp?.message]).to.deep.equal([6, 'stubborn ended with code 3\nits last line'])
    one.mend()
    await kept.stop()
  })

  it('does not count starts that had no chance, because something stood in their way', async () => {
    const one = stubborn(folder, true)
    const kept = keepProgram(one.program, giveUp, { maxMs: 10 })
    await kept.ready()
    one.hinder(20)
    await kill(kept)
    await waitUntil('it runs again', () => kept.pid !== undefined)
    expect([one.launches, gaveUp]).to.deep.equal([22, undefined])
    await kept.stop()
  })

  it('starts one for ever that others can do without', async () => {
    const one = stubborn(folder, false)
    const kept = keepProgram(one.program, giveUp, { maxMs: 10 })
    await kept.ready()
    one.break()
    await kill(kept)
    await waitUntil('it was tried often', () => one.launches > 20)
    one.mend()
    await waitUntil('it runs again', () => kept.pid !== undefined)
    await kept.ready()
    expect(gaveUp).to.equal(undefined)
    await kept.stop()
  })

  it('tells who waits for the very first start that it failed', async () => {
    const one = stubborn(folder, true)
    one.break()
    const kept = keepProgram(one.program, giveUp, { maxMs: 10 })
    expect(await kept.ready().catch((cause: Error) => cause.message)).to.equal(
      'stubborn ended with code 3\nits last line',
    )
    expect([one.launches, gaveUp]).to.deep.equal([1, undefined])
    one.mend()
  })
})
