/** Examples of points of sale and of what a restaurant POS sends, by the member or by its object and the member. */
export const posExamples: Readonly<Record<string, unknown>> = {
  restaurantId: 'R-1042',
  orderId: 'R-1042-88317',
  externalId: 'R-1042',
  timeZone: 'Europe/Rome',
  baseUrl: 'https://pos.example/api',
  apiKey: 'pos-key-7f3d9c51e2',
  webhookSecret: 'a-long-secret-of-the-pos',
  orderEnded:
    'https://api.example/v1/loyalty/pos-integration/018f3f72-0a1b-7c2d-8e3f-4a5b6c7d8e9f/webhooks/order.ended',
  orderRefunded:
    'https://api.example/v1/loyalty/pos-integration/018f3f72-0a1b-7c2d-8e3f-4a5b6c7d8e9f/webhooks/order.refunded',
  // No system answers for the restaurant of an example.
  'PosIntegrationSettingsPatch.restaurants': undefined,
  hasApiKey: true,
  hasWebhookSecret: true,
  'PosNoticeTaken.skipped': undefined,
  'PointOfSale.name': 'Centre',
  'PointOfSale.address': 'Via Roma 1, Turin',
  'NewPointOfSale.name': 'Centre',
  'NewPointOfSale.address': 'Via Roma 1, Turin',
  'PointOfSalePatch.name': 'Centre',
  'PointOfSalePatch.address': 'Via Roma 1, Turin',
}
