import { expect } from 'chai'
import { SlotPool } from '../../../core/kernel/process/slot-pool.ts'

/** Number of timers of this process that have not run yet. */
const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('Slots for jobs: the share of one organization', () => {
  it('is counted on after one of its slots has been given back', () => {
    const pool = new SlotPool(10)
    const take = (count: number) => Array.from({ length: count }, () => pool.tryAcquire('a'))
    take(4)
    pool.release('a')
    expect(take(2)).to.deep.equal([true, false])
    for (let slot = 0; slot < 4; slot++) pool.release('a')
    expect(take(5)).to.deep.equal([true, true, true, true, false])
    expect(pool.freeCount).to.equal(6)
  })
})

describe('Slots for jobs: those who wait', () => {
  it('all get their turn, also several of one organization', async () => {
    const pool = new SlotPool(1, () => 1)
    const order: number[] = []
    await pool.acquire('a')
    for (const at of [1, 2, 3]) void pool.acquire('a').then(() => order.push(at))
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      pool.release('a')
      await settle()
      expect(order).to.deep.equal(expected)
    }
  })

  it('are not forgotten when one of the same organization gives up', async () => {
    const pool = new SlotPool(1)
    await pool.acquire('a')
    const patient = pool.acquire('b', 60_000)
    expect(await pool.acquire('b', 1)).to.equal(false)
    pool.release('a')
    expect(await patient).to.equal(true)
  })

  it('have a timer only if they have a limit, and only while they wait', async () => {
    const pool = new SlotPool(1)
    await pool.acquire('a')
    const before = countTimers()
    const first = pool.acquire('b')
    expect(countTimers()).to.equal(before)
    const second = pool.acquire('c', 60_000)
    expect(countTimers()).to.equal(before + 1)
    pool.release('a')
    expect(await first).to.equal(true)
    pool.release('b')
    expect(await second).to.equal(true)
    expect(countTimers()).to.equal(before)
  })
})
