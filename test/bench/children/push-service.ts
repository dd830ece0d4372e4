import { writeFileSync } from 'node:fs'
import { startApns } from '../../support/wallets/apple/apns.ts'
import type { PemPair } from '../../support/wallets/apple/certificates.ts'

/** Runs the stand-in of the push service until the process is stopped. Arguments: the authority, and the file for its address. */
const [authority = '', file = ''] = process.argv.slice(2)
const apns = await startApns(JSON.parse(authority) as PemPair)
writeFileSync(file, apns.url)
process.on('SIGTERM', () => process.exit(0))
process.send?.({ ready: true })
