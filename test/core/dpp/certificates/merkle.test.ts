import { StandardMerkleTree } from '@openzeppelin/merkle-tree'
import { expect } from 'chai'
import fc from 'fast-check'
import { hashLeaf, buildMerkleTree, splitProofHashes } from '../../../../core/kernel/sealing/merkle.ts'

const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const leaves = fc.array(fc.record({ tokenId: word, contentHash: word }), { minLength: 1, maxLength: 70 })

describe('Merkle tree over credentials', () => {
  it('is the standard tree of OpenZeppelin, root, leaves and proofs', () =>
    fc.assert(
      fc.asyncProperty(leaves, async (some) => {
        const ours = await buildMerkleTree(some)
        const theirs = StandardMerkleTree.of(
          some.map(({ tokenId, contentHash }) => [tokenId, contentHash]),
          ['uint256', 'bytes32'],
        )
        expect(ours.root).to.equal(theirs.root)
        some.forEach((leaf, at) => {
          expect(`0x${hashLeaf(leaf).toString('hex')}`).to.equal(theirs.leafHash([leaf.tokenId, leaf.contentHash]))
          expect(splitProofHashes(ours.proofs[at] ?? Buffer.of())).to.deep.equal(theirs.getProof(at))
        })
      }),
      { numRuns: 40 },
    ))

  it('needs a leaf', async () => {
    const refused = await buildMerkleTree([]).then(
      () => 'made',
      (cause: unknown) => cause,
    )
    expect(refused).to.be.instanceOf(RangeError)
  })
})
