// A Terraform provider that knows the AWS provider's schema and does nothing: `terraform validate`, and `terraform test`
// with a mocked provider, ask no more of one. It serves where the registry cannot be reached.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

//go:embed schema.json
var text []byte

type attribute struct {
	Type                    string
	Set, Required, Computed bool
}

type block struct {
	Nesting    string
	Required   bool
	Attributes map[string]attribute
	Blocks     map[string]block
}

type document struct {
	Provider        block
	Resources, Data map[string]block
}

var types = map[string]tftypes.Type{
	"string":     tftypes.String,
	"number":     tftypes.Number,
	"boolean":    tftypes.Bool,
	"stringMap":  tftypes.Map{ElementType: tftypes.String},
	"stringList": tftypes.List{ElementType: tftypes.String},
	"numberList": tftypes.List{ElementType: tftypes.Number},
}

func typeOf(said attribute) tftypes.Type {
	found, known := types[said.Type]
	if !known {
		return tftypes.DynamicPseudoType
	}
	if list, is := found.(tftypes.List); is && said.Set {
		return tftypes.Set{ElementType: list.ElementType}
	}
	return found
}

// The schema does not say which optional attributes AWS fills in: of a resource's own, any may be.
func schemaOf(said block, own bool) *tfprotov5.SchemaBlock {
	found := &tfprotov5.SchemaBlock{}
	for name, each := range said.Attributes {
		optional := !each.Computed && !each.Required
		found.Attributes = append(found.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: typeOf(each), Required: each.Required, Optional: optional,
			Computed: each.Computed || optional && own,
		})
	}
	for name, each := range said.Blocks {
		nested := &tfprotov5.SchemaNestedBlock{TypeName: name, Block: schemaOf(each, false)}
		switch each.Nesting {
		case "struct":
			nested.Nesting = tfprotov5.SchemaNestedBlockNestingModeSingle
		case "set":
			nested.Nesting = tfprotov5.SchemaNestedBlockNestingModeSet
		default:
			nested.Nesting = tfprotov5.SchemaNestedBlockNestingModeList
		}
		if each.Required && each.Nesting != "struct" {
			nested.MinItems = 1
		}
		found.BlockTypes = append(found.BlockTypes, nested)
	}
	return found
}

func schemasOf(said map[string]block) map[string]*tfprotov5.Schema {
	found := map[string]*tfprotov5.Schema{}
	for name, each := range said {
		found[name] = &tfprotov5.Schema{Block: schemaOf(each, true)}
	}
	return found
}

// What is asked of a provider beyond a schema is not answered, so that it cannot be taken for the real one.
type server struct{ tfprotov5.ProviderServer }

func (server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	var said document
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, err
	}
	return &tfprotov5.GetProviderSchemaResponse{
		Provider:          &tfprotov5.Schema{Block: schemaOf(said.Provider, false)},
		ResourceSchemas:   schemasOf(said.Resources),
		DataSourceSchemas: schemasOf(said.Data),
	}, nil
}

func (server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return &tfprotov5.GetMetadataResponse{}, nil
}

func (server) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (server) PrepareProviderConfig(_ context.Context, asked *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: asked.Config}, nil
}

func (server) ValidateResourceTypeConfig(context.Context, *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (server) ValidateDataSourceConfig(context.Context, *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}

func (server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func main() {
	serve := func() tfprotov5.ProviderServer { return server{} }
	if err := tf5server.Serve("registry.terraform.io/hashicorp/aws", serve); err != nil {
		log.Fatal(err)
	}
}
