import { ledgerFamilies } from '../chains/ledger/family.ts'
import { ledgerSigner } from '../chains/ledger/keys.ts'
import { runSenders } from './sender-process.ts'

runSenders({ families: ledgerFamilies, signer: ledgerSigner })
