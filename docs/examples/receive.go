// Receives webhooks on PORT, verifies them with SECRET, and prints each event once.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var seen sync.Map // In production: a table with a unique column, written in the transaction of your work.

func isValid(key []byte, header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return time.Since(time.Unix(seconds, 0)).Abs() < 5*time.Minute
		}
	}
	return false
}

func main() {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if !isValid(key, request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			ID    string
			Event struct{ Name string }
		}
		json.Unmarshal(body, &event)
		if _, again := seen.LoadOrStore(event.ID, true); !again {
			fmt.Println(event.Event.Name)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Println("listening")
	http.Serve(listener, nil)
}
