import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { expect } from 'chai'
import { armFaultPoint, hitFaultPoint } from '../../../core/kernel/process/fault-points.ts'
import type { JobRun } from '../../../core/kernel/job.ts'
import { eachBatch } from '../../../core/queue/batches/each-batch.ts'

type FaultPoints = typeof import('../../../core/kernel/process/fault-points.ts')
const faultPointsModule = '../../../core/kernel/process/fault-points.ts'

describe('Fault points', () => {
  const { writeSync } = fs
  const { kill } = process
  /** What would have been done to processes, and what was said before. */
  let kills: unknown[][]
  let lines: object[]

  beforeEach(() => {
    ;[kills, lines] = [[], []]
    process.kill = (...values) => {
      kills.push(values)
      throw new Error('the process is dead')
    }
    fs.writeSync = ((_: number, line: string) => lines.push(JSON.parse(line) as object)) as typeof fs.writeSync
    syncBuiltinESMExports()
  })
  afterEach(() => {
    armFaultPoint(undefined)
    process.kill = kill
    fs.writeSync = writeSync
    syncBuiltinESMExports()
  })

  it('kill the process that is armed with their name, as a power failure would, at the nth time', () => {
    hitFaultPoint('here')
    armFaultPoint('here:2')
    hitFaultPoint('there')
    hitFaultPoint('here', { job: 'first' })
    expect([kills, lines]).to.deep.equal([[], []])
    expect(() => hitFaultPoint('here', { job: 'second' })).to.throw('the process is dead')
    expect(kills).to.deep.equal([[process.pid, 'SIGKILL']])
    expect(lines).to.deep.equal([{ msg: 'struck', point: 'here', pid: process.pid, job: 'second' }])
  })

  it('may be armed anew by a message of the parent process, and stay as they are after any other message', async () => {
    const listeners: ((message: unknown) => void)[] = []
    const listen = mock.method(process, 'on', (_: string, listener: (message: unknown) => void) =>
      listeners.push(listener),
    )
    // A module of its own, because the one of all tests may listen to the process already.
    const points = (await import(`${import.meta.resolve(faultPointsModule)}?own=${Date.now()}`)) as FaultPoints
    for (const setting of ['here', 'here:3', 'here']) points.armFaultPoint(setting)
    listen.mock.restore()
    const [receive] = listeners
    receive?.({ fault: 'there:2' })
    for (const point of ['here', 'there']) points.hitFaultPoint(point)
    for (const message of [{ other: 'here' }, null, 'fault', 5]) receive?.(message)
    expect([kills, listeners.length]).to.deep.equal([[], 1])
    expect(() => points.hitFaultPoint('there')).to.throw('the process is dead')
    expect(lines).to.deep.equal([{ msg: 'struck', point: 'there', pid: process.pid }])
  })

  it('stand after each batch of a job', async () => {
    const run = { step: (work: (...values: unknown[]) => unknown) => work(undefined, () => undefined) }
    const left = ['a', 'b', 'c']
    armFaultPoint('unit.between:2')
    const all = eachBatch(run as unknown as JobRun, {
      job: 'job',
      step: 'test',
      state: {},
      take: async () => left.splice(0, 1),
      work: async () => ({ state: {} }),
    })
    expect(await all.catch((cause: Error) => cause.message)).to.equal('the process is dead')
    expect(left).to.deep.equal(['c'])
    expect(kills).to.deep.equal([[process.pid, 'SIGKILL']])
    expect(lines).to.deep.equal([{ msg: 'struck', point: 'unit.between', pid: process.pid, job: 'job', step: 'test' }])
  })
})
