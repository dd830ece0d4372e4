import { createLog } from './app/log.ts'
import { armFaultPoint } from './kernel/process/fault-points.ts'
import { runProcess } from './kernel/process/process.ts'
import { createSeal } from './kernel/sealing/seal.ts'
import { createEvidence } from './chains/signer/evidence.ts'
import { serveSigner } from './chains/signer/server.ts'
import { openSignerStore } from './chains/signer/store.ts'
import { createRecordedTables } from './chains/signer/tables.ts'
import { openVault } from './chains/signer/vault.ts'
import { assertSettings, readSettings } from './app/settings.ts'

runProcess('signer', async () => {
  const settings = assertSettings(
    readSettings(),
    'databaseUrl',
    'signerSocket',
    'signerSecret',
    'signerKeyEncryptionKey',
  )
  armFaultPoint(settings.faultPoint)
  const log = createLog('signer', settings)
  const store = await openSignerStore(settings.databaseUrl)
  const vault = await openVault({
    store,
    evidence: createEvidence(store.pool),
    tables: createRecordedTables(store.pool),
    seal: createSeal(settings.signerKeyEncryptionKey, settings.signerKeyEncryptionKeysOld),
    senderKeys: settings.senderKeys,
    rules: {
      owners: settings.owners,
      maxFeeGwei: settings.maxFeeGwei,
      baseUri: `${settings.publicUrl}/t/`,
      maxBatches: settings.passportBatchesPerContract,
    },
  })
  const server = await serveSigner({ socket: settings.signerSocket, secret: settings.signerSecret, vault, log })
  log.info({ socket: settings.signerSocket }, 'the signer is ready')
  return {
    async stop() {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeIdleConnections()
      })
      await store.close()
    },
  }
})
