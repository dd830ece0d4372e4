import { expect } from 'chai'
import { getAuthority } from '../../core/loyalty/cards/apple/authority.ts'
import { Device } from '../../support/wallets/apple/device.ts'
import type { ApnsStandIn } from '../../support/wallets/apple/apns.ts'
import { signIn } from '../stage/buyers.ts'
import type { CampaignStage } from './stage.ts'

/** A phone that fetches its card after each push, as Wallet does. */
export interface AwakePhone {
  account: string
  device: Device
  /** Waits until it has fetched after all pushes, and lets it look once more. */
  settle(): Promise<void>
}

/** Signs people in and puts the card of each on phones: of every third one on two. */
export async function openPhones({ platform, api, apns }: CampaignStage, people: number): Promise<AwakePhone[]> {
  const phones: AwakePhone[] = []
  for (let at = 0; at < people; at++) {
    const email = `phone-${at}@people.example`
    const buyer = await signIn(platform, email)
    const { body } = await api.get(`/v1/accounts?filters[user.email][eq]=${email}`)
    const account = String(body['data']?.[0]?.['id'])
    const file = await buyer.api.get('/v1/apple-wallet/loyalty-pass')
    expect(file.status, file.text).to.equal(200)
    for (let count = at % 3 === 0 ? 2 : 1; count > 0; count--) {
      const device = new Device(getAuthority().certificate)
      expect((await device.add(file.bytes)).status).to.equal(201)
      phones.push(wakeWithPushes(apns, device, account))
    }
  }
  return phones
}

function wakeWithPushes(apns: ApnsStandIn, device: Device, account: string): AwakePhone {
  let waking: Promise<unknown> = Promise.resolve()
  let isAwaited = false
  const wake = () => {
    // A push that comes while another one waits for its turn is answered with it.
    if (isAwaited) return
    isAwaited = true
    waking = waking.then(() => {
      isAwaited = false
      return device.wake()
    })
    waking.catch(() => undefined)
  }
  apns.onPush(device.pushToken, wake)
  return {
    account,
    device,
    async settle() {
      wake()
      await waking
    },
  }
}
