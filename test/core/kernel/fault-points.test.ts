import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'chai'
import { armFaultPoint, hitFaultPoint } from '../../../core/kernel/process/fault-points.ts'
import type { JobRun } from '../../../core/kernel/job.ts'
import { eachBatch } from '../../../core/queue/batches/each-batch.ts'

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
