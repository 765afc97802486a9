import '../../frame/main.tsx'
