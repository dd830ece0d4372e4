import { createLog } from './log.ts'
import { armFault } from './kernel/fault.ts'
import { runProcess } from './kernel/process.ts'
import { sealOf } from './kernel/seal.ts'
import { evidenceOf } from './chains/signer/evidence.ts'
import { serveSigner } from './chains/signer/server.ts'
import { openStore } from './chains/signer/store.ts'
import { tablesOf } from './chains/signer/tables.ts'
import { openVault } from './chains/signer/vault.ts'
import { demand, readSettings } from './settings.ts'

runProcess('signer', async () => {
  const settings = demand(readSettings(), 'databaseUrl', 'signerSocket', 'signerSecret', 'signerKeyEncryptionKey')
  armFault(settings.faultPoint)
  const log = createLog('signer', settings)
  const store = await openStore(settings.databaseUrl)
  const vault = await openVault({
    store, evidence: evidenceOf(store.pool), tables: tablesOf(store.pool),
    seal: sealOf(settings.signerKeyEncryptionKey, settings.signerKeyEncryptionKeysOld),
    senderKeys: settings.senderKeys,
    rules: {
      owners: settings.owners, maxFeeGwei: settings.maxFeeGwei, baseUri: `${settings.publicUrl}/t/`,
      maxBatches: settings.passportBatchesPerContract,
    },
  })
  const server = await serveSigner({ socket: settings.signerSocket, secret: settings.signerSecret, vault, log })
  log.info({ socket: settings.signerSocket }, 'the signer is ready')
  return {
    async stop() {
      await new Promise((resolve) => { server.close(resolve); server.closeIdleConnections() })
      await store.close()
    },
  }
})
