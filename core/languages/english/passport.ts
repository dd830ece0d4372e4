import type { PassportWords } from '../words.types.ts'
import { format } from './numerals.ts'

export const passport: PassportWords = {
  title: (name) => `${name}: product passport`,
  status: { published: 'Published', claimed: 'Claimed by its owner', archived: 'Archived: no longer maintained' },
  standing: {
    verified: {
      head: 'Certified and verified',
      text: () =>
        'Our server has just checked the certificate: signature, key, status and record on chain are in order.',
    },
    failed: {
      head: 'Certified, but the check failed',
      text: () => 'Do not rely on the certificate. Our server has just checked it, and this is not in order:',
    },
    suspended: {
      head: 'Certificate suspended',
      text: () => 'Its issuer has suspended the certificate. Until that ends, do not rely on it.',
    },
    revoked: {
      head: 'Certificate revoked',
      text: () => 'Its issuer has withdrawn the certificate for good. Do not rely on it.',
    },
    none: {
      head: 'Not certified',
      text: (organization) => `Nothing here is certified: it is what ${organization} says.`,
    },
    pending: {
      head: 'Certification under way',
      text: (organization) => `Nothing here is certified yet: it is what ${organization} says.`,
    },
    unreachable: {
      head: 'Certified, but not checked',
      text: () => 'The certificate is out of reach at the moment, so that it could not be checked. Try again later.',
    },
    unknown: {
      head: 'Certified, but it cannot be judged now',
      text: () =>
        'Nothing speaks against the certificate, and not all of it could be checked at the moment. Try again later.',
    },
    archived: {
      head: 'No longer certified',
      text: () => 'This passport was certified. It is archived now, and its certificate is no longer served.',
    },
  },
  hostedOutOfReach:
    'Its organization keeps the certificate itself. It is out of reach there, gone, or not the one that was certified.',
  renewing: 'Something has changed since: a new version is being certified.',
  notInOrder: 'Not in order:',
  notChecked: 'Cannot be judged now:',
  checkedOn: (day) => `Checked on ${day}.`,
  whatWasChecked: 'What was checked',
  checks: {
    proof: { good: 'The signature fits the content.', bad: 'The signature does not fit the content.' },
    issuer: { good: 'The issuer is who the key belongs to.', bad: 'The issuer cannot be confirmed.' },
    key: { good: 'The key may sign.', bad: 'The key may not sign, or no longer.' },
    status: {
      good: 'It is neither revoked nor suspended.',
      bad: 'It is revoked or suspended, or its status cannot be read.',
    },
    validity: { good: 'It is valid today.', bad: 'It is not valid today.' },
    anchor: { good: 'Its hash stands on chain.', bad: 'Its hash does not stand on chain.' },
    schema: { good: 'It is complete by UNTP.', bad: 'It is not complete by UNTP.' },
  },
  mark: 'certified',
  issuer: 'Issuer',
  byDomain: (domain) => `under the domain ${domain}`,
  withoutDomain: 'a key without a domain',
  keptBy: (organization) => `kept by ${organization}`,
  certified: 'Certified on',
  credential: 'Certificate',
  withProof: 'with its proof (JSON-LD)',
  asToken: 'as a token (JWT)',
  receipt: 'Receipt',
  receiptLink: 'its receipt on chain',
  yes: 'Yes',
  no: 'No',
  more: (count) => `${format(count)} more`,
  whole: 'All of it',
  belongsTo: 'Belongs to',
  parents: { model: 'Model', batch: 'Batch' },
  claim: {
    head: 'Is it yours?',
    text: 'This item has no owner yet. There are two ways to put it in your name.',
    withLink: 'I have a link',
    linkHead: 'With the link or code that came with it',
    field: 'Your link',
    button: 'Claim it',
    wrong: 'This is no link to claim with. Copy it whole, as it was sent to you.',
    without: {
      head: 'Without a link',
      text: (brand) =>
        `Sign in. If ${brand} knows your address or phone number from your purchase, the item is yours at once. If not, you can ask ${brand}.`,
    },
  },
  onChain: 'On chain',
  passport: 'Passport',
  token: 'Token',
  network: 'Network',
  owner: 'Owner',
  contract: 'Contract',
  minted: 'Minted',
  notYet: 'Not yet',
  history: 'History',
  historyLink: 'All of it as data',
  events: { mint: 'Minted', claim: 'Claimed', transfer: 'Handed over' },
  from: 'from',
  to: 'to',
  transaction: 'in',
}
