import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { compile, contracts, publish } from '../../core/chains/evm/contracts/compile.ts'

describe('the committed contracts', () => {
  for (const { contract, abi } of contracts) {
    it(`${contract}: compiling again gives what is committed, byte for byte`, async () => {
      for (const { path, content } of publish(compile(contract), abi)) {
        expect(await readFile(path, 'utf8'), path).to.equal(content)
      }
    })
  }
})
