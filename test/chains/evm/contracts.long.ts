import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { compileContract, contracts, formatArtifactFiles } from '../../../core/chains/evm/contracts/compile.ts'

describe('Committed contract artifacts', () => {
  for (const { contract, abi } of contracts) {
    it(`are what compiling ${contract} again gives, byte for byte`, async () => {
      for (const { path, content } of formatArtifactFiles(compileContract(contract), abi)) {
        expect(await readFile(path, 'utf8'), path).to.equal(content)
      }
    })
  }
})
