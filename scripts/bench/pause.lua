-- For wrk: each connection rests for so many milliseconds between its requests.
local pause = tonumber(os.getenv("PAUSE_MS"))

function delay()
  return pause
end
