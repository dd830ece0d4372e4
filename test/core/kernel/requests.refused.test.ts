import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { assertWritableFolder } from '../../../core/kernel/process/data-folder.ts'
import { StartError } from '../../../core/kernel/process/process.ts'
import { createOriginMismatchProblem } from '../../../core/kernel/request/origin.ts'
import { getRequestHost } from '../../../core/kernel/request/request-host.ts'
import { createSeal } from '../../../core/kernel/sealing/seal.ts'

describe('Host of a request behind proxies', () => {
  it('is the last one of a line of any length', () => {
    for (const [forwarded, host] of [
      ['one.example', 'one.example'],
      ['one.example, two.example, three.example', 'three.example'],
      [['first.example, second.example', 'other.example'], 'second.example'],
    ] as const)
      expect(getRequestHost({ headers: { host: 'inner', 'x-forwarded-host': forwarded as string } }, true)).to.equal(
        host,
      )
  })
})

describe('Write from a page of another site', () => {
  it('is refused with a code of its own', () => {
    expect(createOriginMismatchProblem()).to.include({ code: 'AUTH_ORIGIN_MISMATCH', status: 403 })
  })
})

describe('Sealed values without a mark that no key opens', () => {
  it('are refused with what the last key found', () => {
    const keys = [1, 2].map(() => randomBytes(32).toString('base64')) as [string, string]
    expect(() => createSeal(keys[0], [keys[1]]).decrypt('a', randomBytes(60))).to.throw('authenticate data')
  })
})

describe('Folder of DATA_DIR that cannot be used', () => {
  it('is refused with the code of a cause that has no words', () => {
    expect(() => assertWritableFolder('a\0b')).to.throw(StartError, /cannot be made: ERR_INVALID_ARG_VALUE$/)
  })

  // Only Linux has a folder in which not even root can write.
  if (process.platform === 'linux') {
    it('is refused where nothing can be written, though it is there', () => {
      expect(() => assertWritableFolder('/proc')).to.throw(StartError, 'DATA_DIR /proc cannot be written: ')
    })
  }
})
