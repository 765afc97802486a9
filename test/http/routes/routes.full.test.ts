import { ALL, testRoutes } from './route-rules.ts'

testRoutes(ALL, true)
