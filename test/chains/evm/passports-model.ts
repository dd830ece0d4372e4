import { zeroAddress, type Address } from 'viem'

/** A transfer as the log tells it: from, to, id. */
export type Move = readonly [Address, Address, bigint]

/** ERC-721 with batches, in the plainest form: who owns what, who may move what. Errors are names of the contract's. */
export class PassportsModel {
  readonly owners = new Map<bigint, Address>()
  readonly batches: bigint[][] = []
  readonly moves: Move[] = []
  private readonly stored = new Set<bigint>()
  private readonly approved = new Map<bigint, Address>()
  private readonly operators = new Set<string>()

  mint(to: Address, id: bigint): string | undefined {
    if (to === zeroAddress) return 'ERC721InvalidReceiver'
    if (this.stored.has(id)) return 'ERC721InvalidSender'
    this.put(zeroAddress, to, id)
    return undefined
  }

  mintBatch(to: Address, ids: bigint[]): string | undefined {
    if (to === zeroAddress) return 'ERC721InvalidReceiver'
    if (this.batches.length >= 2_000) return 'BatchLimitReached'
    if (ids.length === 0) return 'BatchSizeOutOfRange'
    if (ids.some((id, i) => i > 0 && id <= (ids[i - 1] ?? 0n))) return 'IdsNotIncreasing'
    this.batches.push(ids)
    for (const id of ids) {
      this.owners.set(id, to)
      this.moves.push([zeroAddress, to, id])
    }
    return undefined
  }

  transferFromBatch(to: Address, id: bigint, batch: bigint, index: bigint): string | undefined {
    if (this.stored.has(id)) return 'AlreadyMoved'
    const ids = this.batches[Number(batch)]
    if (!ids) return 'NoSuchBatch'
    if (ids[Number(index)] !== id) return 'NotInBatch'
    if (to === zeroAddress) return 'ERC721InvalidReceiver'
    this.put(this.ownerOf(id), to, id)
    return undefined
  }

  transferFrom(by: Address, from: Address, to: Address, id: bigint): string | undefined {
    if (to === zeroAddress) return 'ERC721InvalidReceiver'
    const owner = this.ownerOf(id)
    if (owner === zeroAddress) return 'ERC721NonexistentToken'
    if (!this.maySpeakFor(owner, by) && this.getApproved(id) !== by) return 'ERC721InsufficientApproval'
    if (owner !== from) return 'ERC721IncorrectOwner'
    this.put(owner, to, id)
    return undefined
  }

  approve(by: Address, to: Address, id: bigint): string | undefined {
    const owner = this.ownerOf(id)
    if (owner === zeroAddress) return 'ERC721NonexistentToken'
    if (!this.maySpeakFor(owner, by)) return 'ERC721InvalidApprover'
    this.approved.set(id, to)
    return undefined
  }

  setApprovalForAll(by: Address, operator: Address, allowed: boolean): string | undefined {
    if (operator === zeroAddress) return 'ERC721InvalidOperator'
    if (allowed) this.operators.add(`${by} ${operator}`)
    else this.operators.delete(`${by} ${operator}`)
    return undefined
  }

  /** The ids that were minted singly. */
  minted(): bigint[] {
    const batched = new Set(this.batches.flat())
    return [...this.owners.keys()].filter((id) => !batched.has(id))
  }

  ownerOf(id: bigint): Address {
    return this.owners.get(id) ?? zeroAddress
  }

  getApproved(id: bigint): Address {
    return this.approved.get(id) ?? zeroAddress
  }

  balanceOf(owner: Address): bigint {
    return BigInt([...this.owners.values()].filter((other) => other === owner).length)
  }

  private maySpeakFor(owner: Address, by: Address): boolean {
    return owner === by || this.operators.has(`${owner} ${by}`)
  }

  private put(from: Address, to: Address, id: bigint): void {
    this.owners.set(id, to)
    this.stored.add(id)
    this.approved.delete(id)
    this.moves.push([from, to, id])
  }
}
