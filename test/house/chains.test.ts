import { expect } from 'chai'
import { listedRecordActs, listedTokenActs } from '../../core/chains/acts/acts.ts'
import { imports, readSource, sources } from './source-files.ts'

/** Words that only one family of chains knows. */
const familyWords = /nonce|viem|\b(gas|fees?|wei|gwei|evm|ethereum|stellar|starknet)\b/i

const isInFamily = (name: string) => /^core\/chains\/(evm|stellar|starknet)\//.test(name)

describe('Repository rules: families of chains', () => {
  it('keep the words of one family out of the engine and the acts', () => {
    const wrong = sources
      .filter((name) => /^core\/chains\/(engine|acts)\//.test(name))
      .flatMap((name) => {
        const lines = readSource(name).split('\n')
        return lines.flatMap((line, index) => (familyWords.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : []))
      })
    expect(wrong).to.deep.equal([])
  })

  it('let only the table of families and the signer import a family', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith('core/')
        && isInFamily(to)
        && !isInFamily(from)
        && !/^core\/chains\/(families\.ts|signer\/)/.test(from),
    )
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).to.deep.equal([])
  })

  it('name the kinds of operations only in the acts, the port, the families and the signer', () => {
    const acts = [...listedTokenActs, ...listedRecordActs].flatMap(({ kind, transactionKind }) => [
      kind,
      transactionKind,
    ])
    const kinds = new RegExp(`'(${acts.join('|')})'`)
    const wrong = sources.filter((name) => name.startsWith('core/chains/engine/') && kinds.test(readSource(name)))
    expect(wrong).to.deep.equal([])
  })
})
