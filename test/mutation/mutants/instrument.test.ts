import { stripTypeScriptTypes } from 'node:module'
import { expect } from 'chai'
import { instrumentModule, switchName } from './instrument.ts'
import { getWilsonInterval, takeSample } from '../sample.ts'

/** Runs a module's source with one mutant active. @returns what its function `f` returns, for each list of arguments */
function runWith(source: string, active: number, calls: readonly (readonly unknown[])[]): unknown[] {
  const { text } = instrumentModule('core/example.ts', source, 1)
  const isActive = (id: number) => id === active
  const scope = { [switchName]: isActive }
  const evaluate = new Function('globalThis', `${stripTypeScriptTypes(text)}\nreturn f`) as (
    scope: object,
  ) => (...values: readonly unknown[]) => unknown
  const f = evaluate(scope)
  return calls.map((values) => f(...values))
}

const describeMutants = (source: string) =>
  instrumentModule('core/example.ts', source, 1).mutants.map(({ original, mutated }) => `${original} → ${mutated}`)

describe('Mutants of a module', () => {
  const source = `
    const lines: string[] = []
    function f(a: number, b?: { text?: string }): unknown {
      lines.push('never read')
      if (a < 3 && b) return b.text?.trim() ?? 'no-text'
      return a
    }`

  it('change one place each', () => {
    expect(describeMutants(source)).to.deep.equal([
      `lines.push('never read') → ;`,
      'a < 3 && b → true',
      'a < 3 && b → false',
      'a < 3 && b → (a < 3) || (b)',
      'a < 3 → (a) <= (3)',
      `return b.text?.trim() ?? 'no-text' → return undefined`,
      `b.text?.trim() ?? 'no-text' → b.text?.trim()`,
      'b.text?.trim() → b.text',
      'b.text?.trim() → b.text.trim()',
      `'no-text' → ''`,
      'return a → return undefined',
    ])
  })

  it('leave the module as it is while none is active', () => {
    const calls = [[1, { text: ' x ' }], [1, {}], [1], [3, { text: 'x' }]] as const
    expect(runWith(source, 0, calls)).to.deep.equal(['x', 'no-text', 1, 3])
  })

  it('count only while they are active', () => {
    expect(runWith(source, 5, [[3, { text: 'x' }]])).to.deep.equal(['x'])
    expect(runWith(source, 8, [[1, { text: ' x ' }]])).to.deep.equal([' x '])
    expect(() => runWith(source, 9, [[1, {}]])).to.throw(TypeError)
  })

  it('are not made of types, imports, names of members, log lines and sentences', () => {
    const quiet = `
      import { b } from 'node:fs'
      interface A { kind: 'letter' }
      const f = ({ 'content-type': type }: Record<string, string>) => { log.warn({ code: 'CODE' }, 'a text') }`
    expect(describeMutants(quiet)).to.deep.equal([])
  })
})

describe('Sample of mutants', () => {
  const values = Array.from({ length: 1000 }, (_, at) => at)

  it('is the same for the same seed, another for another, and takes nothing twice', () => {
    const sample = takeSample(values, 400, 1, String)
    expect(takeSample(values, 400, 1, String)).to.deep.equal(sample)
    expect(takeSample(values, 400, 2, String)).not.to.deep.equal(sample)
    expect(new Set(sample).size).to.equal(400)
  })

  it('stays as it is when other mutants come and go', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => at)
    const sample = takeSample(values, 400, 1, String)
    const others = takeSample(
      [...values.filter((value) => value % 100 > 0 || sample.includes(value)), -1],
      400,
      1,
      String,
    )
    expect(others.filter((value) => value >= 0 && !sample.includes(value)).length).to.be.at.most(1)
    expect(takeSample(['same', 'same'], 2, 1, String)).to.deep.equal(['same', 'same'])
  })

  it('gives a score with the interval of Wilson', () => {
    const { low, high } = getWilsonInterval(340, 400)
    expect([low.toFixed(3), high.toFixed(3)]).to.deep.equal(['0.812', '0.882'])
    expect(getWilsonInterval(0, 0)).to.deep.equal({ low: 0, high: 1 })
  })
})
