import { startApns } from '../../support/wallets/apple/apns.ts'
import { createPassAuthority, createPassCertificate } from '../../support/wallets/apple/certificates.ts'

/** What the parent needs to push to the service of this process. */
export interface ApnsPlace {
  url: string
  ca: string
  topic: string
  certificate: string
  privateKey: string
}

const authority = createPassAuthority()
const topic = 'pass.example.bench'
const apns = await startApns(authority)
const pair = createPassCertificate(authority, { passTypeIdentifier: topic, teamIdentifier: 'ABCDE12345' })
process.send?.({ url: apns.url, ca: apns.ca, topic, ...pair } satisfies ApnsPlace)
process.once('disconnect', () => process.exit(0))
