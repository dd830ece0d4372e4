import { expect } from 'chai'
import { SlotPool, maxSlotsPerOrganization } from '../../../core/kernel/process/slot-pool.ts'

/** Lets everything go on that waits for a promise that is settled. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('Slots for jobs', () => {
  it('are so many in all, and so many for one organization', () => {
    const pool = new SlotPool(6)
    const taken = (organization: string) => Array.from({ length: 5 }, () => pool.tryAcquire(organization))
    expect(maxSlotsPerOrganization).to.equal(4)
    expect(taken('a')).to.deep.equal([true, true, true, true, false])
    expect(pool.freeCount).to.equal(2)
    expect(taken('b')).to.deep.equal([true, true, false, false, false])
    pool.release('a')
    expect(pool.freeCount).to.equal(1)
    expect([pool.tryAcquire('a'), pool.freeCount]).to.deep.equal([true, 0])
  })

  it('go to who has waited longest among those that may have one', async () => {
    const pool = new SlotPool(2, () => 1)
    const order: string[] = []
    await pool.acquire('a')
    await pool.acquire('b')
    for (const name of ['a', 'c', 'b', 'd']) void pool.acquire(name).then(() => order.push(name))
    await settle()
    expect(order).to.deep.equal([])
    pool.release('b')
    await settle()
    expect(order, 'a has its slot already').to.deep.equal(['c'])
    pool.release('a')
    await settle()
    pool.release('c')
    await settle()
    expect(order).to.deep.equal(['c', 'a', 'b'])
    expect(pool.freeCount).to.equal(0)
    pool.release('b')
    await settle()
    expect(order).to.deep.equal(['c', 'a', 'b', 'd'])
  })

  it('are not kept for who has waited long enough', async () => {
    const pool = new SlotPool(1)
    expect(await pool.acquire('a', 1)).to.equal(true)
    expect(await pool.acquire('b', 1)).to.equal(false)
    const waiting = pool.acquire('c', 60_000)
    pool.release('a')
    expect(await waiting).to.equal(true)
    pool.release('c')
    expect([pool.freeCount, pool.tryAcquire('b')]).to.deep.equal([1, true])
  })

  it('are announced when one is free that nobody takes', async () => {
    const pool = new SlotPool(1)
    await pool.waitForFreeSlot()
    expect(pool.freeCount).to.equal(1)
    await pool.acquire('a')
    let announced = 0
    void pool.waitForFreeSlot().then(() => announced++)
    const second = pool.acquire('b')
    pool.release('a')
    expect(await second).to.equal(true)
    await settle()
    expect(announced, 'the waiter has taken it').to.equal(0)
    pool.release('b')
    await settle()
    expect(announced).to.equal(1)
  })
})
