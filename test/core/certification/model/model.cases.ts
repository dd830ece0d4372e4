import { expect } from 'chai'
import { verifyRefused } from './refused-credentials.ts'
import { createIssuer, type Vc } from '../suites/signers.ts'

export const issuer = createIssuer()
/** Members changed, and all that is told of it. */
export type Case = [more: Vc, ...faults: string[]]

export async function judge(cases: readonly Case[]): Promise<void> {
  for (const [more, ...faults] of cases) {
    const credential = issuer.credential(more)
    expect(await verifyRefused({ credential }), JSON.stringify(more)).to.deep.equal(
      faults.map((fault) => `credential.${fault}`),
    )
  }
}
