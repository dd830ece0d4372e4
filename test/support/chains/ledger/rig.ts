import { createTestEnvironment } from '../../environment.ts'
import type { DatabaseServer } from '../../database/database-server.ts'
import { createTemporaryFolder, removeFolder } from '../../folders.ts'
import { createSenderRig } from '../sender-rig.ts'
import { ledgerFamilies, ledgerVariable } from './family.ts'
import { ledgerSigner, senderWallet, toAccount } from './keys.ts'
import { startLedgerServer } from './server.ts'

/** Starts everything that sending to a ledger needs, with a database and a ledger of its own. */
export async function startLedgerRig(server: DatabaseServer) {
  const [{ url }, ledger] = await Promise.all([server.createDatabase(), startLedgerServer()])
  ledger.state.openAccount(toAccount(senderWallet), 1_000_000)
  const folder = createTemporaryFolder()
  const env = createTestEnvironment({
    DATA_DIR: folder,
    DATABASE_URL: url,
    SIGNER_SOCKET: `${folder}/s`,
    SIGNER_SECRET: 'no signer runs here',
    [ledgerVariable]: ledger.url,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
  })
  const rig = await createSenderRig({
    url,
    env,
    served: { families: ledgerFamilies, signer: ledgerSigner },
    senderFile: 'test/support/children/ledger-sender.ts',
  })
  return {
    ...rig,
    ledger,
    async stop() {
      await rig.close()
      await ledger.stop()
      await removeFolder(folder)
    },
  }
}
