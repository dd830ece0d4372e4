import { toTokenId } from '../../support/chains/chain-rig.ts'
import { changeIntent, createEnvelope, type Json } from './requests.ts'
import type { Attack } from './attacks.ts'
import type { Stage } from './stage.ts'

const thief = `0x${'be'.repeat(20)}`

/** Points that nobody earned, or that somebody else did. */
export function createPointsAttacks({ justified, contracts, bystander, issuer, pointsIds }: Stage): Attack[] {
  const { postPoints } = justified
  const { operations, accounts, amounts } = postPoints['act'] as Record<'operations' | 'accounts' | 'amounts', string[]>
  const [operation = '', other = ''] = operations
  const [account = '', otherAccount = ''] = accounts
  const [amount = '', otherAmount = ''] = amounts
  const single = (members: Json): Json => ({
    operations: [operation],
    accounts: [account],
    amounts: [amount],
    ...members,
  })
  const invented = toTokenId('invented')
  const list: Record<string, Json> = {
    'more than was queued': single({ amounts: ['101'] }),
    'what is taken away as points': single({ operations: [other], accounts: [otherAccount], amounts: ['30'] }),
    'the amount of another entry': single({ amounts: [otherAmount] }),
    'to another account': single({ accounts: [bystander] }),
    'to the account of another entry': single({ accounts: [otherAccount] }),
    'to a thief': single({ accounts: [thief] }),
    'to an issuer': single({ accounts: [issuer] }),
    'two entries with their accounts exchanged': { accounts: [otherAccount, account] },
    'two entries with their amounts exchanged': { amounts: [otherAmount, amount] },
    'an entry twice': { operations: [operation, operation], accounts: [account, account], amounts: [amount, amount] },
    'an entry twice, for two accounts': { operations: [operation, operation] },
    'an entry more than was queued': {
      operations: [...operations, invented],
      accounts: [...accounts, bystander],
      amounts: [...amounts, '1'],
    },
    'an operation nobody asked for': single({ operations: [invented] }),
    'an operation that is final': single({ operations: [pointsIds.final] }),
    'an operation of another application': single({
      operations: [pointsIds.other],
      accounts: [bystander],
      amounts: ['7'],
    }),
    'an account more than operations': { accounts: [...accounts, bystander] },
    'an amount more than operations': { amounts: [...amounts, '1'] },
    'an operation more than accounts': { operations: [...operations, invented] },
    'no entry': { operations: [], accounts: [], amounts: [] },
    'nothing as an amount': single({ amounts: ['0'] }),
    'an amount with a plus': single({ amounts: ['+100'] }),
    'an amount with a leading zero': single({ amounts: ['0100'] }),
    'a fraction': single({ amounts: ['100.0'] }),
    'an amount of 19 digits': single({ amounts: [`1${'0'.repeat(18)}`] }),
    'a number': single({ amounts: [100] }),
    'in the contract of another application': single({ contract: contracts.otherPoints }),
    'in the contract of passports': single({ contract: contracts.own }),
    'in the contract of roots': single({ contract: contracts.anchors }),
    'in a contract that is none of ours': single({ contract: thief }),
    'in no contract': single({ contract: contracts.nobody }),
  }
  return Object.entries(list).map(([name, act]) => ({
    group: 'points',
    name,
    ...createEnvelope(changeIntent(postPoints, {}, act)),
  }))
}

/** Contracts of points that no application waits for. */
export function createPointsDeployments({ justified: { deployPoints }, own, other }: Stage): Attack[] {
  const { contract } = deployPoints['act'] as { contract: Json }
  const list: Record<string, Json> = {
    'second points of an application': { application: own },
    'points of another application': { application: other },
    'points of another name': { name: 'Genuine' },
    'points of another symbol': { symbol: 'GEN' },
    'points with an issuer': { issuer: thief },
    'points with a relayer': { relayer: thief },
    'points as passports': { kind: 'passports' },
  }
  return Object.entries(list).map(([name, members]) => ({
    group: 'deployments',
    name,
    ...createEnvelope(changeIntent(deployPoints, {}, { contract: { ...contract, ...members } })),
  }))
}
