import { getBrandingAddress } from '../previews.ts'

/** Returns the address of the credentials of an application's wallets. */
export const getWalletsAddress = (id: string): string => `${getBrandingAddress(id)}/wallets`
