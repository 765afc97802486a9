/**
 * Route × credential → status. Credentials are each good in their place: an API key, one that was revoked, the token of a signed-in
 * session, the service token, the admin token (as a bearer, then in its own header), the two diagnostics headers. A route that is
 * missing here fails in `routes.test.ts`.
 */
export const TABLE = `
                                                          none  key  revoked  session  service  admin  x-admin  secret  probe
GET /healthz                                               200  200      200      200      200    200      200     200    200
GET /readyz                                                200  200      200      200      200    200      200     200    200
GET /health                                                200  200      200      200      200    200      200     200    200
GET /metadata                                              200  200      200      200      200    200      200     200    200
GET /fact/:dataset/:symbol/:period                         501  501      501      501      501    501      501     501    501
GET /v2/datasets                                           200  200      200      200      200    200      200     200    200
GET /v2/datasets/:dataset_key/freshness                    200  200      200      200      200    200      200     200    200
GET /v2/datasets/:dataset_key/schema                       200  200      200      200      200    200      200     200    200
GET /v2/data-catalog/stats                                 200  200      200      200      200    200      200     200    200
GET /coverage                                              200  200      200      200      200    200      200     200    200
GET /v2/coverage                                           200  200      200      200      200    200      200     200    200
GET /v2/coverage/:dataset                                  200  200      200      200      200    200      200     200    200
GET /v2/product/tiers                                      200  200      200      200      200    200      200     200    200
GET /v2/product/catalog                                    200  200      200      200      200    200      200     200    200
GET /v2/homepage/market-indices                            401  401      401      401      200    401      401     401    401
GET /v2/datasets/:dataset_key                              401  404      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/cross-section                401  404      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/profile                      401  200      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/cross-section/profile        401  200      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/parts                        401  200      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/releases                     401  200      401      401      401    401      401     401    401
GET /v2/datasets/:dataset_key/releases/:release/:document  401  404      401      401      401    401      401     401    401
GET /files/:dataset_key/:file                              401  404      401      401      401    401      401     401    401
GET /v2/query                                              401  200      401      401      401    401      401     401    401
GET /v2/query/fields                                       401  200      401      401      401    401      401     401    401
GET /v2/query/examples                                     401  200      401      401      401    401      401     401    401
GET /                                                      200  200      200      200      200    200      200     200    200
GET /docs                                                  200  200      200      200      200    200      200     200    200
GET /robots.txt                                            200  200      200      200      200    200      200     200    200
GET /sitemap.xml                                           200  200      200      200      200    200      200     200    200
GET /assets/:file                                          200  200      200      200      200    200      200     200    200
GET /widgets.json                                          200  200      200      200      200    200      200     200    200
GET /apps.json                                             200  200      200      200      200    200      200     200    200
GET /openapi.json                                          200  200      200      200      200    200      200     200    200
GET /llms.txt                                              200  200      200      200      200    200      200     200    200
GET /llms-full.txt                                         200  200      200      200      200    200      200     200    200
GET /v2/updates                                            200  200      200      200      200    200      200     200    200
GET /v2/data-catalog/reconciliation                        200  200      200      200      200    200      200     200    200
GET /v2/data-catalog/reconciliation/:dataset               200  200      200      200      200    200      200     200    200
GET /v2/search                                             401  200      401      401      401    401      401     401    401
POST /v2/self-serve/onboarding/start                       200  200      200      200      200    200      200     200    200
POST /v2/self-serve/onboarding/complete                    401  401      401      401      401    401      401     401    401
GET /v2/self-serve/browser-session                         200  200      200      200      200    200      200     200    200
POST /v2/self-serve/browser-session                        401  401      401      200      401    401      401     401    401
DELETE /v2/self-serve/browser-session                      401  401      401      200      401    401      401     401    401
GET /v2/self-serve/account                                 401  401      401      200      401    401      401     401    401
DELETE /v2/self-serve/account                              401  401      401      200      401    401      401     401    401
POST /v2/self-serve/settings                               401  401      401      200      401    401      401     401    401
GET /v2/self-serve/api-keys                                401  401      401      200      401    401      401     401    401
POST /v2/self-serve/api-keys                               401  401      401      200      401    401      401     401    401
POST /v2/self-serve/api-keys/:key_id/revoke                401  401      401      200      401    401      401     401    401
GET /v2/self-serve/api-keys/:key_id/reveal                 401  401      401      200      401    401      401     401    401
GET /v2/self-serve/usage-summary                           401  401      401      200      401    401      401     401    401
GET /v2/self-serve/usage-ledger                            401  401      401      200      401    401      401     401    401
GET /v2/self-serve/share-profile                           401  401      401      200      401    401      401     401    401
GET /delta-sharing/shares                                  401  200      401      401      401    401      401     401    401
GET /delta-sharing/shares/:share                           401  200      401      401      401    401      401     401    401
GET /delta-sharing/shares/:share/schemas                   401  200      401      401      401    401      401     401    401
GET /delta-sharing/shares/:share/schemas/:schema/tables    401  200      401      401      401    401      401     401    401
GET /delta-sharing/shares/:share/all-tables                401  200      401      401      401    401      401     401    401
GET /delta-sharing/shares/:share/schemas/:schema/tables/:table           401  200  401  401  401  401  401  401  401
GET /delta-sharing/shares/:share/schemas/:schema/tables/:table/version   401  200  401  401  401  401  401  401  401
GET /delta-sharing/shares/:share/schemas/:schema/tables/:table/metadata  401  200  401  401  401  401  401  401  401
GET /delta-sharing/shares/:share/schemas/:schema/tables/:table/changes   401  404  401  401  401  401  401  401  401
POST /delta-sharing/shares/:share/schemas/:schema/tables/:table/query    401  200  401  401  401  401  401  401  401
GET /v2/account/entitlements                               401  200      401      401      401    401      401     401    401
GET /v2/account/usage-summary                              401  200      401      401      401    401      401     401    401
GET /v2/account/usage-ledger                               401  200      401      401      401    401      401     401    401
GET /v2/account/billing-preview                            401  200      401      401      401    401      401     401    401
GET /v2/account/summary                                    401  401      401      401      200    401      401     401    401
POST /v2/self-serve/billing/portal-session                 401  401      401      503      401    401      401     401    401
POST /v2/billing/checkout-session                          401  401      401      503      401    401      401     401    401
POST /v2/billing/subscriptions/:subscription_id/api-key    401  401      401      503      401    401      401     401    401
POST /v2/billing/webhook                                   503  503      503      503      503    503      503     503    503
POST /v2/admin/grant-plan                                  401  401      401      401      401    200      200     401    401
GET /internal/db-diagnostics                               404  404      404      404      404    404      404     200    404
GET /internal/diagnostics-config                           404  404      404      404      404    404      404     404    200
`
